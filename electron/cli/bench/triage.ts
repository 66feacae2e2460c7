import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sha256Of } from '#services/store/evidence.ts'
import { openStore, type Store } from '#services/store/store.ts'
import { nextOpen, type Reviewed } from '#shared/audit/triage.ts'
import type { ConsoleRecord } from '#shared/journal/events.ts'
import type { Figure } from './store.ts'

const run = 'r-20261129-abcdef'
const rows = 40_000
const bulk = 5_000
/** Odd, so that the median is a measured time. */
const repeats = 15

type Io = { progress?: (text: string) => void }

/**
 * Looking through 40,000 programs: the next open one where nearly all are reviewed, and a verdict on 5,000 at once with its undo, against the
 * plain way of one write a verdict. `undone exactly` is 1 where every verdict is again what it was.
 */
export async function benchTriage(io: Io = {}): Promise<{ name: 'triage'; figures: Figure[] }> {
  const say = io.progress ?? (() => {})
  const home = await mkdtemp(join(tmpdir(), 'ringside-bench-'))
  try {
    await mkdir(join(home, 'runs', run), { recursive: true })
    const store = await openStore({
      home,
      now: () => new Date(),
      boxFiles: () => null,
      fetchEvidence: async () => null,
    })
    try {
      say(`judging ${bulk} programs`)
      return { name: 'triage', figures: [...nextFigures(), ...(await bulkFigures(store))] }
    } finally {
      await store.dispose()
    }
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

const hashes = Array.from({ length: rows }, (_, i) => sha256Of(new TextEncoder().encode(`program ${i}`)))

function nextFigures(): Figure[] {
  const open = 17
  const list = hashes.map(
    (key, i): Reviewed => ({ key, bodySha256: key, verdict: i === open ? null : 'wrong' }),
  )
  const times: number[] = []
  for (let turn = 0; turn < repeats; turn += 1) {
    const began = performance.now()
    const found = nextOpen(list, hashes[open + 1 + turn] ?? null)
    times.push(performance.now() - began)
    if (found !== hashes[open]) throw new Error('the next open program is another one')
  }
  return [figure('programs', rows, 'count'), figure('next open, around the whole list', median(times))]
}

async function bulkFigures(store: Store): Promise<Figure[]> {
  const before = verdicts('unclear')
  await store.recordAll(run, before)
  const { ms: bulkMs } = await timed(() => store.recordAll(run, verdicts('wrong')))
  const { ms: undoMs } = await timed(() => store.recordAll(run, before))
  const plain = verdicts('right').slice(0, plainCount)
  const { ms: plainMs } = await timed(async () => {
    for (const one of plain) await store.record(run, one)
  })
  await store.recordAll(run, before.slice(0, plainCount))
  const last = new Map(
    (await store.consoleRecords(run)).flatMap((one) =>
      one.type === 'verdict' ? [[one.bodySha256, one.verdict]] : [],
    ),
  )
  const exact = [...last.values()].every((verdict) => verdict === 'unclear')
  const perVerdict = (plainMs / plainCount) * bulk
  return [
    figure('verdicts at once', bulk, 'count'),
    figure('bulk verdict', bulkMs, 'ms', perVerdict / bulkMs),
    figure('its undo', undoMs, 'ms', perVerdict / undoMs),
    figure('plain: one write a verdict, for as many', perVerdict),
    figure('undone exactly', exact ? 1 : 0, 'yes'),
  ]
}

/** Of the plain way, which is slow: measured on so many and scaled. */
const plainCount = 100

const verdicts = (verdict: 'wrong' | 'right' | 'unclear'): ConsoleRecord[] =>
  hashes
    .slice(0, bulk)
    .map((bodySha256) => ({ at: '2026-11-29T13:00:00.000Z', type: 'verdict', bodySha256, verdict, note: '' }))

const figure = (name: string, value: number, unit = 'ms', ratio: number | null = null): Figure => ({
  name,
  ratio,
  value,
  unit,
})

const median = (times: number[]): number => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

async function timed(work: () => Promise<unknown>): Promise<{ ms: number }> {
  const began = performance.now()
  await work()
  return { ms: performance.now() - began }
}
