/**
 * Checks the grader on any crate: `node resources/verifier/graders/cargo/survey/main.ts --repo DIR --commit SHA --crate NAME`.
 * Prints one line a function and how many of them kept their own body's full score and refused an empty and a constant one.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { survey } from './survey.ts'

const text = { type: 'string' } as const
const { values } = parseArgs({
  options: { repo: text, commit: text, crate: text, workers: text, verbose: { type: 'boolean' } },
})
const { repo, commit, crate } = values
if (repo === undefined || commit === undefined || crate === undefined) {
  process.stderr.write('--repo DIR, --commit SHA and --crate NAME are needed.\n')
  process.exit(2)
}
const scratch = await mkdtemp(join(tmpdir(), 'ringside-survey-'))
try {
  const log = (line: string) => process.stderr.write(`${line}\n`)
  const { rows } = await survey({ repo, commit, crate, scratch, workers: Number(values.workers ?? 2), log })
  const odd = rows.filter(
    (row) =>
      !row.own.startsWith('passed') || row.empty.startsWith('passed') || row.constant.startsWith('passed'),
  )
  for (const row of values.verbose ? rows : odd)
    process.stdout.write(
      `${row.function} [${row.file}, ${row.tests} tests, ${row.sameName} of that name]: own ${row.own}; empty ${row.empty}; constant ${row.constant}\n`,
    )
  const kept = rows.filter((row) => row.own.startsWith('passed')).length
  const refused = (name: 'empty' | 'constant') => rows.filter((row) => !row[name].startsWith('passed')).length
  process.stdout.write(
    `${crate}: ${rows.length} functions; own body passes ${kept}; empty refused ${refused('empty')}; constant refused ${refused('constant')}; exceptions ${odd.length}\n`,
  )
} finally {
  await rm(scratch, { recursive: true, force: true })
}
