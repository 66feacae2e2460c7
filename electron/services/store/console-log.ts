import type { Line } from '#shared/journal/decode.ts'
import { ConsoleRecord } from '#shared/journal/events.ts'
import { AppendFile } from './append-file.ts'
import { readLines } from './journal.ts'

/** One line of `console.jsonl`, read: a record of this version, or why it is none. */
export type ConsoleLine = { line: Line; record: ConsoleRecord } | { line: Line; fault: string }

/** Appends records in one write, all of them on the disk when this resolves. The file is opened each time: records are few and a kept handle is one more thing to end. */
export async function appendRecords(path: string, records: readonly ConsoleRecord[]): Promise<void> {
  const file = await AppendFile.open(path)
  try {
    const lines = records.map((record) => `${JSON.stringify(ConsoleRecord.parse(record))}\n`)
    await file.append(Buffer.from(lines.join('')))
  } finally {
    await file.dispose()
  }
}

/** Never throws over a line: what cannot be read is kept apart, with why. */
export function readRecord(line: Line): ConsoleLine {
  let raw: unknown
  try {
    raw = JSON.parse(line.text)
  } catch {
    return { line, fault: 'is no JSON' }
  }
  const parsed = ConsoleRecord.safeParse(raw)
  if (parsed.success) return { line, record: parsed.data }
  const issue = parsed.error.issues[0]
  return { line, fault: `${issue?.path.join('.') || 'line'}: ${issue?.message ?? 'does not fit'}` }
}

/** @param but types left out without being read: of a long audit nearly every line is a grade, and each is long. */
export async function readRecords(
  path: string,
  but: readonly ConsoleRecord['type'][] = [],
): Promise<ConsoleRecord[]> {
  const records: ConsoleRecord[] = []
  const unwanted = but.map((type) => `"type":"${type}"`)
  for await (const lines of readLines(path, 0)) {
    // The type stands at the start of every line that the console wrote; what only quotes it further on is read.
    const wanted = lines.filter(
      ({ text }) => !unwanted.some((type) => text.slice(0, headChars).includes(type)),
    )
    for (const read of wanted.map(readRecord))
      if ('record' in read && !but.includes(read.record.type)) records.push(read.record)
  }
  return records
}

/** Of a line, where its time and its type stand. */
const headChars = 80
