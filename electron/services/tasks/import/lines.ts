import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { AppError } from '#shared/base/errors.ts'

/** A line above this is no item of any set, and is not kept in memory. */
const longestLine = 64 * 1024 * 1024

export type Line = { number: number; text: string | null; fault: 'line_too_long' | 'not_utf8' | null }

/**
 * The lines of a file with their numbers, streamed; blank ones are passed over. A line that is no text is told of, not repaired.
 * @throws {AppError} `bad_input` where the file cannot be read or holds nothing.
 */
export async function* linesOf(path: string, onBytes: (bytes: Uint8Array) => void): AsyncGenerator<Line> {
  await refuseUnreadable(path)
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  let held: Buffer[] = []
  let heldBytes = 0
  let number = 1
  const finish = (): Line | null => {
    const bytes = Buffer.concat(held)
    const tooLong = heldBytes > longestLine
    held = []
    heldBytes = 0
    if (tooLong) return { number, text: null, fault: 'line_too_long' }
    try {
      const text = decoder.decode(bytes)
      return text.trim() === '' ? null : { number, text, fault: null }
    } catch {
      return { number, text: null, fault: 'not_utf8' }
    }
  }
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    const bytes = chunk as Buffer
    onBytes(bytes)
    let from = 0
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, from)) {
      hold(bytes.subarray(from, end))
      const line = finish()
      if (line) yield line
      number += 1
      from = end + 1
    }
    hold(bytes.subarray(from))
  }
  const last = heldBytes > 0 ? finish() : null
  if (last) yield last

  function hold(piece: Buffer): void {
    heldBytes += piece.length
    if (heldBytes <= longestLine) held.push(piece)
  }
}

async function refuseUnreadable(path: string): Promise<void> {
  const found = await stat(path).catch((failure: NodeJS.ErrnoException) => {
    throw new AppError('bad_input', `${path} cannot be read: ${failure.code ?? failure.message}.`)
  })
  if (found.isDirectory())
    throw new AppError('bad_input', `${path} is a folder.`, { hint: 'Name one of its JSONL files.' })
  if (found.size === 0)
    throw new AppError('bad_input', `${path} is empty.`, { hint: 'Name a file that holds items.' })
}

/** For naming what was imported. */
export const fileHash = () => createHash('sha256')
