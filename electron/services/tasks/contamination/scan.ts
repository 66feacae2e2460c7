import { type FileHandle, open } from 'node:fs/promises'
import { AppError } from '#shared/base/errors.ts'
import type { Finding } from '#shared/tasks/contamination.ts'
import type { CorpusFacts } from '#shared/tasks/report.ts'
import { corpusFiles, placesIn } from './corpus-files.ts'
import { fewestNgrams, fingerprintOf, foundShare, ngramTokens } from './fingerprint.ts'
import { type Stretch, Stretches } from './stretches.ts'
import { TokenScanner } from './token-scanner.ts'

/** Read at a time; two of these are all that a scan of any size holds. */
const pieceBytes = 4 * 1024 * 1024
/** Room before a piece for what the last one left. */
const carryBytes = 1024
/** Places told of a body; a body that is everywhere need not be listed everywhere. */
const mostFindings = 20

export type ScanOptions = {
  signal?: AbortSignal
  onProgress?: (bytes: number, of: number) => void
}

/**
 * Looks for bodies in a corpus, streamed. Null where no corpus is named.
 * @throws {AppError} `bad_input` where a path cannot be read or nothing is in it.
 */
export async function scanForBodies(
  bodies: readonly { id: string; body: string }[],
  paths: readonly string[],
  options: ScanOptions = {},
): Promise<CorpusFacts | null> {
  if (paths.length === 0) return null
  const files = await corpusFiles(paths)
  const all = bodies.map(({ id, body }) => fingerprintOf(id, body))
  const fingerprints = all.filter(({ ngrams }) => ngrams.length >= fewestNgrams)
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const findings: Finding[] = []
  const counts = new Map<number, number>()
  let found: Stretch[] = []
  const stretches = new Stretches(fingerprints, (stretch) => found.push(stretch))
  // One pair for all files: a corpus of a hundred thousand small ones would otherwise spend its time on making them.
  const pieces: Pieces = [newPiece(), newPiece()]
  let done = 0
  for (const { path } of files) {
    found = []
    await scanFile(path, stretches, pieces, (bytes) => {
      if (options.signal?.aborted) throw new AppError('unresolved', 'The scan was stopped.')
      done += bytes
      options.onProgress?.(done, total)
    })
    const told = found.filter(({ body }) => {
      const count = (counts.get(body) ?? 0) + 1
      counts.set(body, count)
      return count <= mostFindings
    })
    const places =
      told.length === 0
        ? []
        : await placesIn(
            path,
            told.map(({ offset }) => offset),
          )
    for (const [at, { body, share, offset }] of told.entries()) {
      const place = places[at] ?? { line: 0, context: '' }
      findings.push({ task: fingerprints[body]?.task ?? '', file: path, offset, share, ...place })
    }
  }
  return {
    files: files.length,
    bytes: total,
    ngram: ngramTokens,
    threshold: foundShare,
    findings,
    unscannable: all.filter(({ ngrams }) => ngrams.length < fewestNgrams).map(({ task }) => task),
  }
}

type Pieces = [Buffer, Buffer]

async function scanFile(
  path: string,
  stretches: Stretches,
  pieces: Pieces,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const file = await open(path, 'r').catch((failure: NodeJS.ErrnoException) => {
    throw new AppError('bad_input', `--corpus ${path} cannot be read: ${failure.code ?? failure.message}.`)
  })
  try {
    await scanHandle(file, stretches, pieces, onBytes)
  } finally {
    await file.close()
  }
}

/** While one piece is scanned the next one is read. */
async function scanHandle(
  file: FileHandle,
  stretches: Stretches,
  pieces: Pieces,
  onBytes: (bytes: number) => void,
) {
  const scanner = new TokenScanner(stretches.index, (entry, offset, token) =>
    stretches.hit(entry, offset, token),
  )
  let [now, next] = pieces
  let carry = 0
  let position = 0
  let { bytesRead } = await file.read(now, carryBytes, pieceBytes, position)
  while (bytesRead > 0 || carry > 0) {
    position += bytesRead
    const ahead = file.read(next, carryBytes, pieceBytes, position)
    const last = bytesRead === 0
    const from = carryBytes - carry
    const length = carry + bytesRead
    const read = scanner.push(now.subarray(from), length, last)
    carry = last ? 0 : length - read
    now.copy(next, carryBytes - carry, from + read, from + length)
    onBytes(bytesRead)
    const more = await ahead
    bytesRead = more.bytesRead
    ;[now, next] = [next, now]
  }
  stretches.end()
}

const newPiece = () => Buffer.alloc(carryBytes + pieceBytes)
