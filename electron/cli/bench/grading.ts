import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { programs } from '#services/core/programs.ts'
import { loadSuite } from '#services/runs/suites.ts'
import type { VerifierClient } from '#services/verifier/client.ts'
import { canonicalJson } from '#shared/base/canonical.ts'
import { AppError } from '#shared/base/errors.ts'
import { withVerifier } from '../with-verifier.ts'
import { boxed, pythonPath, runPlainly } from './plain-python.ts'
import type { Figure } from './store.ts'

const task = 'required-capacity'
const workers = 2
/** Rounds in which the ways take turns, so that what else the machine does meets all of them. */
const rounds = 3
/** Programs a round: enough that the last one, which has the machine to itself, weighs little. The plain ways take far longer for each. */
const graded = 64
const plain = 2
const inBoxes = 1

type Io = { progress?: (text: string) => void }
type Times = { programs: number; ms: number }

/**
 * Programs a second through the verifier (over HTTP, sandboxed, evidence on the disk) against one fresh interpreter an input, bare and
 * (where there is bubblewrap) each in a sandbox of its own: the same programs, the same inputs, as many at a time, in the same run.
 */
export async function benchGrading(io: Io = {}): Promise<{ name: 'grading'; figures: Figure[] }> {
  const say = io.progress ?? (() => {})
  const suite = join(programs.demo, 'booking', 'reference')
  const cases = (await loadSuite(suite)).cases.get(task) ?? []
  const inputs = cases.map(({ input }) => input)
  const bodies = await bodiesOf(join(programs.demo, 'booking', 'bodies'))
  const python = await pythonPath()
  const box = await boxed(python)
  const plainly = (command: string[], label: string, count: number) =>
    runPlainly(command, {
      bodies: variants(bodies, label, count),
      inputs,
      function: 'required_capacity',
      workers,
    })
  return withVerifier({ suite, workers }, 'bench grading', async (client) => {
    const fast: Times = { programs: 0, ms: 0 }
    const bare: Times = { programs: 0, ms: 0 }
    const sandboxed: Times = { programs: 0, ms: 0 }
    await gradeAll(client, variants(bodies, 'warm-up', workers))
    for (let round = 0; round < rounds; round += 1) {
      const label = `round-${round}`
      say(`round ${round + 1} of ${rounds}: the verifier`)
      await timed(fast, graded, () => gradeAll(client, variants(bodies, label, graded)))
      say(`round ${round + 1} of ${rounds}: one interpreter an input`)
      await timed(bare, plain, () => plainly([python], label, plain))
      if (box === null) continue
      say(`round ${round + 1} of ${rounds}: one sandboxed interpreter an input`)
      await timed(sandboxed, inBoxes, () => plainly(box, label, inBoxes))
    }
    return { name: 'grading', figures: figuresOf(fast, bare, box === null ? null : sandboxed, inputs.length) }
  })
}

function figuresOf(fast: Times, bare: Times, sandboxed: Times | null, inputs: number): Figure[] {
  const rate = ({ programs, ms }: Times) => (programs * 1000) / ms
  const anInput = ({ programs, ms }: Times) => (ms * workers) / (programs * inputs)
  const count = (name: string, value: number, unit: string): Figure => ({ name, ratio: null, value, unit })
  const against = (name: string, way: Times): Figure => ({
    name,
    ratio: rate(fast) / rate(way),
    value: rate(fast),
    unit: '/s',
  })
  const ways: [string, Times][] = [
    ['the verifier', fast],
    ['one interpreter an input', bare],
    ...(sandboxed === null ? [] : [['one sandboxed interpreter an input', sandboxed] as [string, Times]]),
  ]
  return [
    against('programs a second, verifier ÷ one interpreter an input', bare),
    ...(sandboxed === null
      ? []
      : [against('programs a second, verifier ÷ one sandboxed interpreter an input', sandboxed)]),
    ...ways.flatMap(([name, way]) => [
      count(`programs a second, ${name}`, rate(way), '/s'),
      count(`an input, ${name}`, anInput(way), 'ms'),
      count(`programs, ${name}`, way.programs, 'programs'),
    ]),
    count('inputs a program', inputs, 'inputs'),
    count('at a time', workers, 'programs'),
  ]
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
