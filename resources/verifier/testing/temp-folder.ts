import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder that is gone after `dispose`. */
export function tempFolder(): { path: string; dispose(): void } {
  const path = mkdtempSync(join(tmpdir(), 'ringside-verifier-'))
  return { path, dispose: () => rmSync(path, { recursive: true, force: true }) }
}
