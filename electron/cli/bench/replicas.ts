import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dataFolder, ensureDataFolder, rooms } from '#services/core/data-folder.ts'
import { programs } from '#services/core/programs.ts'
import { LeaseLedger } from '#services/leases/ledger.ts'
import { loadSuite } from '#services/runs/suites.ts'
import { gradeAll } from '#services/verifier/grade-all.ts'
import { type OwnVerifier, startOwnVerifier } from '#services/verifier/own-verifier.ts'
import { Disposables } from '#shared/base/disposable.ts'
import { AppError } from '#shared/base/errors.ts'
import type { BenchReport } from '../commands/bench.ts'

const replicas = 3
const bodies = 12
/** A body waits this long at every input, ms: by far longer than it computes, so that replicas help also where there are few processors. */
const waitMs = 80

/**
 * A batch through the verifier in front of replicas, with one of them and with three: the same bodies, which wait rather than compute, in one
 * run. Every replica grades one body at a time.
 */
export async function benchReplicas({
  progress,
}: {
  progress: (text: string) => void
}): Promise<BenchReport> {
  const home = dataFolder()
  await ensureDataFolder(home)
  const owned = new Disposables()
  try {
    const ledger = await LeaseLedger.open(rooms(home).leases, () => new Date())
    owned.add({ dispose: () => ledger.close() })
    const folder = await mkdtemp(join(tmpdir(), 'ringside-bench-'))
    owned.add({ dispose: () => rm(folder, { recursive: true, force: true }) })
    const suite = join(programs.demo, 'booking', 'weak')
    const start = async (purpose: string, workers: number, args: string[] = []) =>
      owned.add(
        await startOwnVerifier({
          ledger,
          scratch: rooms(home).scratch,
          suite,
          workers,
          run: null,
          purpose: `bench replicas: ${purpose}`,
          args,
          env: process.env,
        }),
      )
    const all: OwnVerifier[] = []
    for (let index = 0; index < replicas; index += 1) all.push(await start(`replica ${index + 1}`, 1))
    const alone = await front(folder, 'one', all.slice(0, 1), start)
    const three = await front(folder, 'three', all, start)
    const one = await timed(alone, await waiting(suite, 'one'), () => progress('one replica'))
    const many = await timed(three, await waiting(suite, 'three'), () => progress('three replicas'))
    return {
      name: 'replicas',
      figures: [
        { name: 'a batch, three replicas to one', ratio: many / one, value: many, unit: 'ms' },
        { name: 'a batch, one replica', ratio: null, value: one, unit: 'ms' },
        { name: 'bodies', ratio: null, value: bodies, unit: 'bodies' },
      ],
    }
  } finally {
    await owned.dispose()
  }
}

type Start = (purpose: string, workers: number, args: string[]) => Promise<OwnVerifier>

async function front(
  folder: string,
  name: string,
  behind: OwnVerifier[],
  start: Start,
): Promise<OwnVerifier> {
  const file = join(folder, `${name}.json`)
  const backends = behind.map(({ client, token }, index) => ({
    id: `replica-${index + 1}`,
    uid: `replica-${index + 1}`,
    url: client.url,
    token,
  }))
  await writeFile(file, JSON.stringify({ backends, note: null }), { mode: 0o600 })
  return start(`in front of ${name}`, behind.length, ['--backends', file, '--for', 'bench'])
}

/** The reference with a wait at each call, each a body of its own. */
async function waiting(path: string, round: string) {
  const suite = await loadSuite(path)
  const task = suite.tasks[0]
  if (!task?.reference) throw new AppError('bad_suite', `${path} has no reference body.`)
  const reference = await readFile(join(path, task.reference), 'utf8')
  const slow = reference.replace(
    /^(def \w+\([^)]*\)[^:\n]*:\n)(\s+)/m,
    `$1$2time.sleep(${waitMs / 1000})\n$2`,
  )
  return Array.from({ length: bodies }, (_, index) => ({
    id: `${round}-${index}`,
    task: task.id,
    body: `import time\n\n${slow}\n# ${round} ${index}\n`,
  }))
}

async function timed(
  verifier: OwnVerifier,
  asked: { id: string; task: string; body: string }[],
  say: () => void,
): Promise<number> {
  say()
  const began = performance.now()
  const grades = await gradeAll(verifier, asked)
  const other = [...grades.values()].find((grade) => grade.status !== 'passed')
  if (other) throw new AppError('unresolved', `A body was graded ${other.status} (${other.reason}).`)
  return performance.now() - began
}
