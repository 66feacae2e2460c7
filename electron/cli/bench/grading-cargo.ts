import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { programs } from '#services/core/programs.ts'
import type { VerifierClient } from '#services/verifier/client.ts'
import { AppError } from '#shared/base/errors.ts'
import type { GradeItem } from '#shared/domain/verifier.ts'
import { withVerifier } from '../with-verifier.ts'
import type { Figure } from './store.ts'

const run = promisify(execFile)

type CargoLine = {
  id: string
  crate: string
  file: string
  reference: string
  tests: { target: { kind: string; name: string } }[]
  negativeControls: { target: { kind: string; name: string } }[]
}
type DemoTask = CargoLine & { body: string; targets: string[] }
type Io = { progress?: (text: string) => void }

/** Turns in which both ways alternate, so that what else the machine does meets both. */
const turns = { cold: 3, warm: 3 }
const batch = 24
const duplicates = 200

/**
 * The cargo grader against cargo itself, on the demo workspace, all within this run: a warm grade ÷ `cargo test --no-run` of the same body in a
 * plain copy of the tree plus one run of each test binary; a start of four workers ÷ one cold build; two workers' rate ÷ one's.
 */
export async function benchGradingCargo(io: Io = {}): Promise<{ name: 'grading'; figures: Figure[] }> {
  const say = io.progress ?? (() => {})
  const folder = join(programs.demo, 'rust')
  const suite = join(folder, 'suite')
  const tasks = await readTasks(suite)
  const temp = await mkdtemp(join(tmpdir(), 'ringside-bench-'))
  try {
    const plain = new PlainCargo(join(temp, 'plain'), folder)
    await plain.copy()
    const cold = await measureCold(plain, suite, tasks, say)
    const warm = await measureWarm(plain, suite, tasks, say)
    const one = await measureRate(suite, tasks, 1, say)
    const two = await measureRate(suite, tasks, 2, say)
    return {
      name: 'grading',
      figures: [
        {
          name: 'warm grade ÷ cargo test --no-run and one run',
          ratio: median(warm.ratios),
          value: median(warm.grades),
          unit: `ms, median of ${warm.ratios.length}`,
        },
        {
          name: 'warm grade ÷ the same without debug information',
          ratio: median(warm.bareRatios),
          value: median(warm.grades),
          unit: `ms, median of ${warm.bareRatios.length}`,
        },
        {
          name: 'cold start of 4 workers ÷ one cold build',
          ratio: median(cold.ratios),
          value: median(cold.starts),
          unit: `ms, median of ${cold.ratios.length}`,
        },
        {
          name: 'two workers’ rate ÷ one’s',
          ratio: two.perSecond / one.perSecond,
          value: two.perSecond,
          unit: `grades/s over ${batch}`,
        },
        {
          name: `${duplicates} duplicates ÷ one grade`,
          ratio: one.duplicatesMs / median(warm.grades),
          value: one.duplicatesExecuted,
          unit: 'of them executed',
        },
      ],
    }
  } finally {
    await rm(temp, { recursive: true, force: true })
  }
}

async function readTasks(suite: string): Promise<DemoTask[]> {
  const lines = (await readFile(join(suite, 'tasks.jsonl'), 'utf8')).trimEnd().split('\n')
  return Promise.all(
    lines.map(async (line) => {
      const task: CargoLine = JSON.parse(line)
      const targets = [...task.tests, ...task.negativeControls].map(({ target }) =>
        target.kind === 'lib' ? '--lib' : `--test=${target.name}`,
      )
      return {
        ...task,
        body: await readFile(join(suite, task.reference), 'utf8'),
        targets: [...new Set(targets)],
      }
    }),
  )
}

/** What anybody would do by hand: put the body in, build, run. */
class PlainCargo {
  private readonly folder: string
  private readonly from: string

  constructor(folder: string, from: string) {
    this.folder = folder
    this.from = from
  }

  async copy(): Promise<void> {
    await cp(this.from, this.folder, { recursive: true, filter: (path) => !path.endsWith('/target') })
  }

  /** Every test binary of every task's crate, from nothing. */
  async coldBuild(tasks: DemoTask[]): Promise<void> {
    await rm(join(this.folder, 'target'), { recursive: true, force: true })
    for (const crate of new Set(tasks.map((task) => task.crate))) {
      const targets = tasks.filter((task) => task.crate === crate).flatMap((task) => task.targets)
      await this.cargo(crate, [...new Set(targets)])
    }
  }

  /** @param debug false leaves debug information out, as the grader does. */
  async grade(task: DemoTask, body: string, debug = true): Promise<void> {
    const file = join(this.folder, task.file)
    const source = await readFile(file, 'utf8')
    await writeFile(
      file,
      source.replace(task.body, () => body),
    )
    try {
      for (const binary of await this.cargo(task.crate, task.targets, debug))
        await run(binary, [], { cwd: this.folder })
    } finally {
      await writeFile(file, source)
    }
  }

  private async cargo(crate: string, targets: string[], debug = true): Promise<string[]> {
    const args = ['test', '--no-run', '--offline', '--message-format=json', '-p', crate, ...targets]
    const { stdout } = await run('cargo', args, {
      cwd: this.folder,
      maxBuffer: 64 * 1024 * 1024,
      env: this.env(debug),
    }).catch((cause) => {
      throw new AppError('cargo_missing', 'cargo could not build the demo workspace.', { cause })
    })
    return stdout.split('\n').flatMap((line) => {
      const message = line.startsWith('{') ? JSON.parse(line) : {}
      return message.executable && message.profile?.test ? [message.executable as string] : []
    })
  }

  private env(debug: boolean): NodeJS.ProcessEnv {
    const own = { RUST_BACKTRACE: '0', CARGO_TARGET_DIR: join(this.folder, 'target') }
    return { ...process.env, ...own, ...(debug ? {} : { CARGO_PROFILE_DEV_DEBUG: '0' }) }
  }
}

/** The same body, new to every cache. */
let variant = 0
const distinct = (body: string): string => {
  variant += 1
  return `{ let _variant = ${variant}; ${body} }`
}

async function gradeAll(client: VerifierClient, items: GradeItem[]): Promise<number> {
  const started = performance.now()
  for await (const line of client.grade({ run: 'bench', items }))
    if (line.status !== 'passed')
      throw new AppError('unresolved', `The bench’s own body was graded ${line.status} (${line.reason}).`)
  return performance.now() - started
}

const itemOf = (task: DemoTask, body: string): GradeItem => ({
  id: `bench-${variant}-${task.id}-${body.length}`,
  task: task.id,
  body,
})

async function measureCold(plain: PlainCargo, suite: string, tasks: DemoTask[], say: (text: string) => void) {
  const ratios: number[] = []
  const starts: number[] = []
  for (let turn = 0; turn < turns.cold; turn += 1) {
    say(`cold ${turn + 1} of ${turns.cold}`)
    const begun = performance.now()
    await plain.coldBuild(tasks)
    const built = performance.now()
    const ready = await withVerifier({ suite, workers: 4 }, 'bench grading', async () => performance.now())
    starts.push(ready - built)
    ratios.push((ready - built) / (built - begun))
  }
  return { ratios, starts }
}

async function measureWarm(plain: PlainCargo, suite: string, tasks: DemoTask[], say: (text: string) => void) {
  return withVerifier({ suite, workers: 1 }, 'bench grading', async (client) => {
    say('warming')
    for (const task of tasks) {
      await gradeAll(client, [itemOf(task, distinct(task.body))])
      for (const debug of [true, false]) await plain.grade(task, distinct(task.body), debug)
    }
    const ratios: number[] = []
    const bareRatios: number[] = []
    const grades: number[] = []
    for (let turn = 0; turn < turns.warm; turn += 1)
      for (const task of tasks) {
        say(`warm ${turn + 1} of ${turns.warm}: ${task.id}`)
        const body = distinct(task.body)
        const started = performance.now()
        await plain.grade(task, body)
        const plainMs = performance.now() - started
        const gradeMs = await gradeAll(client, [itemOf(task, body)])
        const again = performance.now()
        await plain.grade(task, distinct(task.body), false)
        bareRatios.push(gradeMs / (performance.now() - again))
        grades.push(gradeMs)
        ratios.push(gradeMs / plainMs)
      }
    return { ratios, bareRatios, grades }
  })
}

async function measureRate(suite: string, tasks: DemoTask[], workers: number, say: (text: string) => void) {
  return withVerifier({ suite, workers }, 'bench grading', async (client) => {
    say(`rate of ${workers}`)
    const some = tasks.filter((task) => task.crate === 'textkit')
    const items = (count: number) =>
      Array.from({ length: count }, (_, n) => {
        const task = some[n % some.length]
        if (!task) throw new AppError('bad_suite', 'The demo suite has no task of textkit.')
        return itemOf(task, distinct(task.body))
      })
    await gradeAll(client, items(some.length * 2))
    const ms = await gradeAll(client, items(batch))
    const [known] = items(1)
    const before = (await client.health()).executed
    const same = Array.from({ length: duplicates }, (_, n) => ({ ...known, id: `same-${n}` }) as GradeItem)
    await gradeAll(client, same.slice(0, 1))
    const duplicatesMs = await gradeAll(client, same.slice(1))
    const executed = (await client.health()).executed - before - 1
    return { perSecond: (batch * 1000) / ms, duplicatesMs, duplicatesExecuted: executed }
  })
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
