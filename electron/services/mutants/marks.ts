import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { Sha256, Timestamp } from '#shared/base/ids.ts'
import { AppendFile } from '../store/append-file.ts'

const Mark = z.object({
  at: Timestamp,
  referenceSha256: Sha256,
  mutant: z.string(),
  /** Why; null takes the mark back. */
  equivalent: z.string().nullable(),
})
type Mark = z.infer<typeof Mark>

/** Mutants that a person holds equivalent to their reference. They are marks on a reference body, so they hold for every suite with it. */
export type Marks = { of(referenceSha256: string, mutant: string): string | null }

/** Reads the marks; the last word on a mutant holds. A line that cannot be read marks nothing. */
export async function readMarks(file: string): Promise<Marks> {
  const text = await readFile(file, 'utf8').catch((failure: NodeJS.ErrnoException) => {
    if (failure.code === 'ENOENT') return ''
    throw failure
  })
  const known = new Map<string, string | null>()
  for (const line of text.split('\n')) {
    const mark = parse(line)
    if (mark) known.set(`${mark.referenceSha256} ${mark.mutant}`, mark.equivalent)
  }
  return { of: (referenceSha256, mutant) => known.get(`${referenceSha256} ${mutant}`) ?? null }
}

/** Appends one mark, on the disk when this resolves. */
export async function writeMark(file: string, mark: Mark): Promise<void> {
  const out = await AppendFile.open(file)
  try {
    await out.append(Buffer.from(`${JSON.stringify(Mark.parse(mark))}\n`))
  } finally {
    await out.dispose()
  }
}

function parse(line: string): Mark | null {
  try {
    return Mark.safeParse(JSON.parse(line)).data ?? null
  } catch {
    return null
  }
}
