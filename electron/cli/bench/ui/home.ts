import { copyFile, mkdir, open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { EvidenceStore, sha256Of } from '#services/store/evidence.ts'
import { samplePrograms } from '#shared/journal/sample-program.ts'
import { type BigRun, bigSpec } from './big-run.ts'
import { writeBigJournal } from './generate.ts'

/** What the bench is made of: the large run and nine small ones beside it, as a data folder that a console opens. */
export type BenchSize = { rollouts: number; steps: number; others: number }

export type BenchHome = {
  home: string
  big: BigRun
  /** Of the large run's journal. */
  bytes: number
  lines: number
  writeMs: number
  /** Whether it was there already, made by an earlier call. */
  reused: boolean
}

const groupSize = 10
const bigId = 'r-20261129-mmmmmm'
const letters = 'abcdefghijklmnop'
/** Of the run's own time, so that a large run took about a day. */
const stepMs = 8000

/** The home's own note of what is in it. */
type Made = { size: BenchSize; bytes: number; lines: number; writeMs: number; startMs: number }

const paths = (home: string) => ({
  made: join(home, 'bench.json'),
  journal: (run: string) => join(home, 'runs', run, 'journal.jsonl'),
  console: (run: string) => join(home, 'runs', run, 'console.jsonl'),
  index: join(home, 'index.sqlite'),
  pristine: join(home, 'index.pristine'),
})

export function bigRunOf({ rollouts, steps }: BenchSize, startMs: number): BigRun {
  return {
    sample: {
      run: bigId,
      seed: 3,
      steps,
      groupsPerStep: Math.max(1, Math.round(rollouts / steps / groupSize)),
      groupSize,
      evalDraws: 0,
      tests: 4,
      programs: 400,
      silentEvery: 0,
      hash: sha256Of,
    },
    tasks: 40,
    startMs,
    stepMs,
  }
}

/** Makes the data folder, or takes the one that an earlier call made and lays what grew since back. */
export async function makeHome(home: string, size: BenchSize, nowMs: number): Promise<BenchHome> {
  const at = paths(home)
  const made = await readMade(at.made, size)
  if (made) {
    await layBack(home, made)
    return { home, big: bigRunOf(size, made.startMs), reused: true, ...made }
  }
  await rm(home, { recursive: true, force: true })
  const startMs = nowMs - size.steps * stepMs
  const big = bigRunOf(size, startMs)
  const began = performance.now()
  const { lines } = await writeBigJournal(at.journal(bigId), big, false)
  const writeMs = performance.now() - began
  await writeFile(join(home, 'runs', bigId, 'spec.json'), JSON.stringify(bigSpec(big)))
  await writeContents(home, big)
  for (let n = 0; n < size.others; n += 1) await writeOther(home, n, startMs)
  const { size: bytes } = await stat(at.journal(bigId))
  await writeFile(at.made, JSON.stringify({ size, bytes, lines, writeMs, startMs } satisfies Made))
  return { home, big, bytes, lines, writeMs, reused: false }
}

/** Keeps the index as it is now, so that a later call need not read everything in again. The core must be closed. */
export const keepIndex = (home: string): Promise<void> => copyFile(paths(home).index, paths(home).pristine)

async function readMade(path: string, size: BenchSize): Promise<Made | null> {
  const text = await readFile(path, 'utf8').catch(() => null)
  const made = text === null ? null : (JSON.parse(text) as Made)
  return made && JSON.stringify(made.size) === JSON.stringify(size) ? made : null
}

async function layBack(home: string, { bytes }: Made): Promise<void> {
  const at = paths(home)
  await truncate(at.journal(bigId), bytes)
  await rm(at.console(bigId), { force: true })
  await rm(join(home, 'boxes'), { recursive: true, force: true })
  for (const left of ['leases.jsonl', 'index.sqlite-wal', 'index.sqlite-shm'])
    await rm(join(home, left), { force: true })
  await copyFile(at.pristine, at.index).catch(() => rm(at.index, { force: true }))
}

/** What the journal names: every program's completion and evidence, so that a jump finds a body. */
async function writeContents(home: string, big: BigRun): Promise<void> {
  const evidence = new EvidenceStore(join(home, 'evidence'))
  for (const one of samplePrograms(big.sample)) {
    await evidence.put(Buffer.from(one.completion))
    await evidence.put(Buffer.from(one.evidence))
  }
}

async function writeOther(home: string, n: number, startMs: number): Promise<void> {
  const run = `r-20261128-small${letters[n] ?? 'z'}`
  const big = bigRunOf({ rollouts: 4000, steps: 40, others: 0 }, startMs - (n + 1) * 40 * stepMs)
  const other: BigRun = { ...big, sample: { ...big.sample, run, seed: n + 10 } }
  await writeBigJournal(paths(home).journal(run), other, true)
  await writeFile(join(home, 'runs', run, 'spec.json'), JSON.stringify(bigSpec(other)))
}

/**
 * The box's side of the large run: a journal as long as the mirror whose end alone is written, since a console that takes a run up again compares
 * that and reads on from there. @returns the folder.
 */
export async function layOutBox(folder: string, home: BenchHome): Promise<void> {
  const tailBytes = Math.min(home.bytes, 256 * 1024)
  const tail = Buffer.alloc(tailBytes)
  const mirror = await open(paths(home.home).journal(bigId), 'r')
  await mirror.read(tail, 0, tailBytes, home.bytes - tailBytes)
  await mirror.close()
  await mkdir(join(folder, 'completions'), { recursive: true })
  const events = await open(join(folder, 'events.jsonl'), 'w')
  await events.write(tail, 0, tailBytes, home.bytes - tailBytes)
  await events.close()
}

/** Of a step while it grows, ten times as large: two thousand events a second are then a step a second, and no trainer makes ten updates in one. */
const grownGroups = 100

/** What the box starts in place of a trainer: the large run, going on at so many events a second from where its journal ends. */
export function growCommand(folder: string, home: BenchHome, eventsPerSecond: number): string[] {
  const { hash: _, ...options } = home.big.sample
  const sample = { ...options, groupsPerStep: grownGroups }
  const growth: Growth = { ...home.big, sample, seq: home.lines, eventsPerSecond }
  const program = join(import.meta.dirname, 'grow.ts')
  return [process.execPath, program, '--run-dir', folder, '--growth', JSON.stringify(growth), '--verifier']
}
export type Growth = Omit<BigRun, 'sample'> & {
  sample: Omit<BigRun['sample'], 'hash'>
  seq: number
  eventsPerSecond: number
}
