import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { programs } from '#services/core/programs.ts'
import { loadSuite } from '#services/runs/suites.ts'
import type { VerifierClient } from '#services/verifier/client.ts'
import { canonicalJson } from '#shared/base/canonical.ts'
import { AppError } from '#shared/base/errors.ts'
import { withVerifier } from '../with-verifier.ts'
import type { Figure } from './store.ts'

const run = promisify(execFile)
const task = 'required-capacity'
const workers = 2
/** Rounds in which both ways take turns, so that what else the machine does meets both. */
const rounds = 3
/** Programs a round. The plain way takes some thirty times as long for each, so it gets fewer. */
const graded = 16
const plain = 2

/** The plain way: start Python, load the program, call it once, print the result. No sandbox, no limit, no library but JSON. */
const plainRunner = [
  'import json, sys',
  'body, function, arguments = json.load(sys.stdin)',
  'scope = {"__name__": "solution"}',
  'exec(compile(body, "solution", "exec"), scope)',
  'print(json.dumps(scope[function](*json.loads(arguments))))',
].join('\n')

type Io = { progress?: (text: string) => void }
type Times = { programs: number; ms: number }

/**
 * Programs a second through the verifier (over HTTP, sandboxed, evidence on the disk) against one fresh interpreter an input: the same
 * programs, the same inputs, as many at a time, in the same run.
 */
export async function benchGrading(io: Io = {}): Promise<{ name: 'grading'; figures: Figure[] }> {
  const say = io.progress ?? (() => {})
  const suite = join(programs.demo, 'booking', 'reference')
  const cases = (await loadSuite(suite)).cases.get(task) ?? []
  const inputs = cases.map(({ input }) => input)
  const bodies = await bodiesOf(join(programs.demo, 'booking', 'bodies'))
  const python = await pythonPath()
  return withVerifier({ suite, workers }, 'bench grading', async (client) => {
    const fast: Times = { programs: 0, ms: 0 }
    const slow: Times = { programs: 0, ms: 0 }
    await gradeAll(client, variants(bodies, 'warm-up', workers))
    for (let round = 0; round < rounds; round += 1) {
      say(`round ${round + 1} of ${rounds}: the verifier`)
      await timed(fast, graded, () => gradeAll(client, variants(bodies, `round-${round}`, graded)))
      say(`round ${round + 1} of ${rounds}: one interpreter an input`)
      await timed(slow, plain, () => runPlainly(python, variants(bodies, `round-${round}`, plain), inputs))
    }
    const rate = ({ programs, ms }: Times) => (programs * 1000) / ms
    const runs = (count: Times) => count.programs * inputs.length
    return {
      name: 'grading',
      figures: [
        {
          name: 'programs a second, verifier',
          ratio: rate(fast) / rate(slow),
          value: rate(fast),
          unit: '/s',
        },
        { name: 'programs a second, one interpreter an input', ratio: null, value: rate(slow), unit: '/s' },
        { name: 'an input, verifier', ratio: null, value: (fast.ms * workers) / runs(fast), unit: 'ms' },
        {
          name: 'an input, one interpreter',
          ratio: null,
          value: (slow.ms * workers) / runs(slow),
          unit: 'ms',
        },
        { name: 'programs graded', ratio: null, value: fast.programs, unit: 'programs' },
        { name: 'programs run plainly', ratio: null, value: slow.programs, unit: 'programs' },
        { name: 'inputs a program', ratio: null, value: inputs.length, unit: 'inputs' },
        { name: 'at a time', ratio: null, value: workers, unit: 'programs' },
      ],
    }
  })
}

async function timed(times: Times, count: number, work: () => Promise<void>): Promise<void> {
  const started = performance.now()
  await work()
  times.ms += performance.now() - started
  times.programs += count
}

async function bodiesOf(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.py')).sort()
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
}

/** Distinct programs that do the same work: no body is graded twice, so none is replayed. */
const variants = (bodies: string[], label: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${bodies[index % bodies.length]}# ${label} ${index}\n`)

async function gradeAll(client: VerifierClient, bodies: string[]): Promise<void> {
  const items = bodies.map((body) => ({ id: canonicalJson(body).slice(-40, -1), task, body }))
  for await (const { id, status, cache } of client.grade({ run: 'bench', items })) {
    if ((status === 'passed' || status === 'test_failed') && cache !== 'replayed') continue
    throw new AppError('internal', `Program ${id} was not graded but came back ${status} (${cache}).`)
  }
}

async function runPlainly(python: string, bodies: string[], inputs: string[]): Promise<void> {
  const todo = bodies.flatMap((body) =>
    inputs.map((input) => JSON.stringify([body, 'required_capacity', input])),
  )
  const worker = async () => {
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      const started = run(python, ['-I', '-S', '-c', plainRunner])
      started.child.stdin?.end(next)
      await started
    }
  }
  await Promise.all(Array.from({ length: workers }, worker))
}

/** The interpreter itself: what is on the PATH may be a script that looks for it first, at a cost that would flatter us. */
async function pythonPath(): Promise<string> {
  const python = process.env.RINGSIDE_PYTHON ?? 'python3'
  const ask = 'import sys; print(getattr(sys, "_base_executable", None) or sys.executable)'
  const { stdout } = await run(python, ['-c', ask]).catch(() => {
    throw new AppError('python_missing', `${python} does not run.`)
  })
  return stdout.trim()
}
