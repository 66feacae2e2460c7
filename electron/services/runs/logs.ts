import { join } from 'node:path'
import type { Input, LogChunk } from '#shared/ipc/contract.ts'
import type { RunBox } from '../box/run-box.ts'
import { localFiles } from '../telemetry/local-files.ts'

/** A stretch of one of a run's logs, by byte offset: from its box, or from the run's record once it was taken down. */
export async function readLog(box: RunBox, runsDir: string, input: Input<'logs.read'>): Promise<LogChunk> {
  const { run, stream, offset, limit } = input
  const name = `${stream}.log`
  for (const files of [box.files(run), localFiles(join(runsDir, run, 'box'))]) {
    const found = await files.stat(name)
    if (!found) continue
    // A log that became shorter was replaced: its reader starts again.
    const from = offset > found.sizeBytes ? 0 : offset
    const bytes = await files.read(name, from, Math.min(limit, found.sizeBytes - from))
    return {
      bytesBase64: Buffer.from(bytes).toString('base64'),
      offset: from,
      end: from + bytes.length,
      size: found.sizeBytes,
      lastAt: found.sizeBytes === 0 ? null : found.modifiedAt.toISOString(),
    }
  }
  return { bytesBase64: '', offset: 0, end: 0, size: 0, lastAt: null }
}
