import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { Random } from '#shared/grpo/random.ts'
import { samplePrograms } from '#shared/journal/sample-program.ts'
import { localFiles } from '../telemetry/local-files.ts'
import { dumpIndex, sampleRunId as run, StoreLab, smallSample } from './testing.ts'

const kills = 5
/** Six consoles start one after the other, each seconds on a machine that is busy with other things. */
const patient = 180_000
const random = Random.of('crash', Date.now())
let lab: StoreLab
let child: ChildProcess | null = null
afterEach(async () => {
  child?.kill('SIGKILL')
  await lab.dispose()
})

/** Starts a console that ingests; resolves when it says that it follows. */
async function ingest(): Promise<ChildProcess> {
  const records = join(lab.root, 'records.jsonl')
  const started = spawn(
    process.execPath,
    [join(import.meta.dirname, 'ingest-process.ts'), lab.home, lab.box, run, records],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  child = started
  if (started.stdout) await once(started.stdout, 'data')
  return started
}

/** The trainer: its journal grows in pieces that end anywhere, also inside a line. */
async function write(bytes: Uint8Array, pieces: number): Promise<void> {
  const file = await open(lab.events, 'a')
  for (let piece = 0; piece < pieces; piece += 1) {
    const [from, to] = [piece, piece + 1].map((part) => Math.floor((bytes.length * part) / pieces))
    await file.write(bytes.subarray(from, to))
    await sleep(random.integer(0, 8))
  }
  await file.close()
}

async function prepare(): Promise<string> {
  lab = await StoreLab.make({ ...smallSample, steps: 30, programs: 60 })
  await mkdir(join(lab.box, 'evidence'))
  for (const one of samplePrograms(lab.options))
    await writeFile(join(lab.box, 'evidence', one.grade.evidenceSha256 ?? ''), one.evidence)
  await writeFile(
    join(lab.root, 'records.jsonl'),
    lab
      .audits(40)
      .map((record) => `${JSON.stringify(record)}\n`)
      .join(''),
  )
  return lab.lines().join('')
}

const openHere = () =>
  lab.open({
    fetchEvidence: (_, sha256) => readFile(join(lab.box, 'evidence', sha256)).catch(() => null),
    boxFiles: () => localFiles(lab.box),
  })

test(
  'a console killed at any moment has every event once, and an index as if it had never been killed',
  async () => {
    const source = await prepare()
    const mirror = join(lab.home, 'runs', run, 'journal.jsonl')
    const bytes = Buffer.from(source)
    const sizes: number[] = []
    for (let turn = 0; turn < kills; turn += 1) {
      const started = await ingest()
      const [from = 0, to = 0] = [turn, turn + 1].map((part) => Math.floor((bytes.length * part) / kills))
      const end = from + random.integer(1, to - from)
      await write(bytes.subarray(from, end), random.integer(1, 20))
      await sleep(random.integer(0, 60))
      const ended = once(started, 'exit')
      started.kill('SIGKILL')
      await ended
      sizes.push((await stat(mirror).catch(() => ({ size: 0 }))).size)
      await write(bytes.subarray(end, to), 1)
    }
    // The kills met consoles that were at work: the copy had grown from one to the next, and was not whole.
    expect(new Set(sizes).size).toBeGreaterThan(1)
    expect(sizes.every((size) => size < bytes.length)).toBe(true)
    let store = await openHere()
    await store.catchUp(run)
    expect(await readFile(mirror, 'utf8')).toBe(source)
    expect(await store.fetchMissing(run)).toEqual([])
    expect(store.summary(run)).toMatchObject({ rollouts: 30 * 12, phase: 'finished', nullRewards: 0 })
    await store.dispose()
    expect(await readdir(join(lab.home, 'evidence', 'drafts')).catch(() => [])).toEqual([])
    const grown = dumpIndex(lab.home)
    await rm(join(lab.home, 'index.sqlite'))
    store = await openHere()
    await store.dispose()
    expect(dumpIndex(lab.home)).toEqual(grown)
    expect(grown.rollouts?.length).toBe(30 * 12 + 12)
  },
  patient,
)
