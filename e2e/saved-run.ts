import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '..')

type Word = 'passed' | string
type SavedProgram = { task: string; body: string; draws: number; accepted: boolean; audit: Word | null }

const linesOf = async (path: string): Promise<Record<string, unknown>[]> =>
  (await readFile(path, 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

type GradeText = { status: Word; bodySha256: string | null; evidenceSha256: string | null }

/** The distinct programs of a run, put together from its journal, its records and its evidence alone: nothing of the console computes here. */
export async function savedPrograms(home: string, run: string): Promise<Map<string, SavedProgram>> {
  const folder = join(home, 'runs', run)
  const events = await linesOf(join(folder, 'journal.jsonl'))
  const tasks = new Map(
    events.flatMap((one) =>
      one.type === 'rollout.generated' ? [[one.rollout as string, one.task as string] as const] : [],
    ),
  )
  const programs = new Map<string, SavedProgram>()
  for (const event of events) {
    if (event.type !== 'rollout.graded' && event.type !== 'eval.draw') continue
    const { status, bodySha256, evidenceSha256 } = event.grade as GradeText
    if (bodySha256 === null || evidenceSha256 === null) continue
    const known = programs.get(bodySha256)
    if (known) {
      known.draws += 1
      known.accepted ||= status === 'passed'
      continue
    }
    const evidence = await readFile(
      join(home, 'evidence', evidenceSha256.slice(0, 2), evidenceSha256),
      'utf8',
    )
    const { body } = JSON.parse(evidence) as { body: string }
    const task = tasks.get(event.rollout as string) ?? (event.task as string)
    programs.set(bodySha256, { task, body, draws: 1, accepted: status === 'passed', audit: null })
  }
  for (const record of await linesOf(join(folder, 'console.jsonl'))) {
    const program = record.type === 'audit.graded' ? programs.get(record.bodySha256 as string) : undefined
    if (program) program.audit = (record.grade as GradeText).status
  }
  return programs
}

/** Where the suite lies that the run's last repair made. */
export async function repairedSuite(home: string, run: string): Promise<{ path: string; name: string }> {
  const records = await linesOf(join(home, 'runs', run, 'console.jsonl'))
  const { report } = records.findLast(({ type }) => type === 'suite.repaired') as {
    report: { suite: { path: string; name: string } }
  }
  return report.suite
}

/** What a suite says of each program, asked anew by the command. */
export async function gradeAgain(
  home: string,
  suite: string,
  programs: ReadonlyMap<string, SavedProgram>,
): Promise<Map<string, Word>> {
  const file = join(home, 'bodies.jsonl')
  const lines = [...programs].map(([id, { task, body }]) => `${JSON.stringify({ id, task, body })}\n`)
  await writeFile(file, lines.join(''))
  const command = [join(root, 'electron/cli/ringside.mjs'), 'grade', '--suite', suite, '--in', file]
  const { stdout } = await promisify(execFile)(process.execPath, command, {
    env: { ...process.env, RINGSIDE_HOME: join(home, 'grading') },
    maxBuffer: 2 ** 28,
  })
  const grades = stdout.trim().split('\n')
  return new Map(
    grades.map((line) => {
      const { id, status } = JSON.parse(line) as { id: string; status: Word }
      return [id, status]
    }),
  )
}
