import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sha256Of } from '#services/store/evidence.ts'
import { openStore, type Store } from '#services/store/store.ts'
import type { EventOf } from '#shared/journal/events.ts'
import { type SampleOptions, samplePrograms, sampleTask } from '#shared/journal/sample-program.ts'
import { sampleEvents } from '#shared/journal/sample-run.ts'

/** 50,000 rollouts of 12 tests each: 600,000 outcomes. */
const size: SampleOptions = {
  run: 'r-20261129-abcdef',
  seed: 11,
  steps: 195,
  groupsPerStep: 32,
  groupSize: 8,
  evalDraws: 40,
  tests: 12,
  programs: 300,
  silentEvery: 0,
  hash: sha256Of,
}
const filter = 'status:test_failed reward<0.5 task:required-capacity'
const list = { run: size.run, filter, sort: 'order', cursor: null, limit: 200 } as const
/** Odd, so that the median is a measured time. */
const repeats = 15

export type Figure = {
  name: string
  /** The plain way's time ÷ the store's, both measured in this run; null for a plain count. */
  ratio: number | null
  value: number
  unit: string
}

type Io = { progress?: (text: string) => void }

/**
 * Opening a filtered list of a large run, and stepping to the next rollout of it, against the plain way: reading the journal's lines and filtering
 * them in memory. The plain way is told the wanted fields and skips validation, so it is as fast as a reader of lines can be.
 */
export async function benchStore(io: Io = {}): Promise<{ name: 'store'; figures: Figure[] }> {
  const say = io.progress ?? (() => {})
  const home = await mkdtemp(join(tmpdir(), 'ringside-bench-'))
  try {
    const journal = join(home, 'runs', size.run, 'journal.jsonl')
    say('writing a journal of 50,000 rollouts')
    await writeJournal(journal)
    say('reading it into the index')
    const { store, ms: ingestMs } = await timed(() => open(home))
    try {
      return { name: 'store', figures: await measure(store, journal, ingestMs, say) }
    } finally {
      await store.dispose()
    }
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

async function measure(store: Store, journal: string, ingestMs: number, say: (text: string) => void) {
  for (const one of samplePrograms(size).slice(0, 100))
    await store.record(size.run, {
      at: '2026-11-29T13:00:00.000Z',
      type: 'audit.graded',
      bodySha256: one.bodySha256,
      task: sampleTask,
      grade: one.auditGrade,
    })
  say('measuring')
  const page = store.handlers['rollouts.page']
  const next = store.handlers['rollouts.neighbour']
  const first = await page({ ...list, skip: 0 })
  const half = await page({ ...list, skip: Math.floor(first.total / 2) })
  const middle = half.rows[0]?.rollout ?? ''
  const step = { run: size.run, filter, sort: 'order', rollout: middle, direction: 'next' } as const
  // A filter of its own each time, as a list that was counted a moment ago is not counted again.
  const openMs = await median((turn) => page({ ...list, skip: 0, filter: `${filter} ms<${1000 + turn}` }))
  const worstMs = await median((turn) =>
    page({ ...list, skip: 0, filter: `-is:false_acceptance ms<${1000 + turn}`, sort: 'ms' }),
  )
  const coldNextMs = await median((turn) => next({ ...step, filter: `${filter} ms<${2000 + turn}` }))
  const nextMs = await median(() => next(step))
  const { value: plainRows, ms: plainMs } = await timedValue(() => plainly(journal))
  if (plainRows !== first.total)
    throw new Error(`the list has ${first.total} rows, the plain way finds ${plainRows}`)
  const figure = (name: string, value: number, unit = 'ms', ratio: number | null = null): Figure => ({
    name,
    ratio,
    value,
    unit,
  })
  return [
    figure('rollouts', size.steps * size.groupsPerStep * size.groupSize + 2 * size.evalDraws, 'count'),
    figure(
      'outcomes',
      (size.steps * size.groupsPerStep * size.groupSize + 2 * size.evalDraws) * size.tests,
      'count',
    ),
    figure('rows of the filtered list', first.total, 'count'),
    figure('journal', (await stat(journal)).size, 'bytes'),
    figure('ingest', ingestMs),
    figure('plain: read and filter the journal', plainMs),
    figure('open filtered list', openMs, 'ms', plainMs / openMs),
    figure('open a list that is nearly everything, by time', worstMs, 'ms', plainMs / worstMs),
    figure('next in a list not counted yet', coldNextMs, 'ms', plainMs / coldNextMs),
    figure('next', nextMs, 'ms', plainMs / nextMs),
  ]
}

async function plainly(journal: string): Promise<number> {
  const graded = new Map<string, EventOf<'rollout.graded'> | EventOf<'eval.draw'>>()
  const tasks = new Map<string, string>()
  for (const line of (await readFile(journal, 'utf8')).split('\n')) {
    if (line === '') continue
    const event = JSON.parse(line)
    if (event.type === 'rollout.generated') tasks.set(event.rollout, event.task)
    if (event.type === 'rollout.graded' || event.type === 'eval.draw') graded.set(event.rollout, event)
  }
  return [...graded].filter(
    ([id, { grade }]) =>
      grade.status === 'test_failed' &&
      grade.reward !== null &&
      grade.reward < 0.5 &&
      tasks.get(id) === sampleTask,
  ).length
}

async function writeJournal(path: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true })
  const out = createWriteStream(path)
  let part: string[] = []
  const flush = async () => {
    if (!out.write(part.join(''))) await once(out, 'drain')
    part = []
  }
  for (const event of sampleEvents(size)) {
    part.push(`${JSON.stringify(event)}\n`)
    if (part.length === 500) await flush()
  }
  await flush()
  out.end()
  await once(out, 'close')
}

const open = (home: string) =>
  openStore({ home, now: () => new Date(), boxFiles: () => null, fetchEvidence: async () => null })

async function timed(work: () => Promise<Store>): Promise<{ store: Store; ms: number }> {
  const { value, ms } = await timedValue(work)
  return { store: value, ms }
}

async function timedValue<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const began = performance.now()
  const value = await work()
  return { value, ms: performance.now() - began }
}

async function median(work: (turn: number) => unknown): Promise<number> {
  const times: number[] = []
  for (let turn = 0; turn < repeats; turn += 1) {
    const began = performance.now()
    await work(turn)
    times.push(performance.now() - began)
  }
  return times.sort((a, b) => a - b)[Math.floor(repeats / 2)] ?? 0
}
