/** Writes the four frozen suite folders beside this file. The same code always writes the same bytes; a test compares them. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { composeSuites, suiteNames } from './compose.ts'
import { renderSuite } from './render.ts'

const suites = composeSuites()
for (const name of suiteNames) {
  const folder = join(import.meta.dirname, name)
  rmSync(folder, { recursive: true, force: true })
  for (const [path, text] of renderSuite(name, suites[name])) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  console.log(`booking-${name}: ${suites[name].length} cases`)
}
