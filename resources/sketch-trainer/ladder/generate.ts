/** Writes the frozen suite of the ladder. The same code always writes the same bytes; a test compares them. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ladderSuite } from './suite.ts'

const folder = join(import.meta.dirname, '../../demo/ladder')
rmSync(folder, { recursive: true, force: true })
for (const [path, text] of ladderSuite()) {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
