/** Writes the demo suite from the workspace's marks: `node resources/demo/generate-rust.ts [WORKSPACE]`; the suite lies in the workspace's `suite`. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeMarkedSuite } from '../verifier/graders/cargo/write-suite.ts'

const folder = process.argv[2] ?? `${import.meta.dirname}/rust`
const scratch = await mkdtemp(join(tmpdir(), 'ringside-demo-rust-'))
try {
  const { tasks } = await writeMarkedSuite({
    folder,
    suite: `${folder}/suite`,
    scratch,
    name: 'demo-rust',
    version: '1',
    description: 'Fifteen held-out functions of three small crates, in every shape a function has.',
  })
  process.stdout.write(`${tasks} tasks\n`)
} finally {
  await rm(scratch, { recursive: true, force: true })
}
