import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Planted, plantCorpus } from '#services/tasks/contamination/planted-corpus.ts'
import { scanForBodies } from '#services/tasks/contamination/scan.ts'
import type { BenchReport, Figure } from '../commands/bench.ts'

type Io = { progress: (text: string) => void; mib: number }

/**
 * A corpus made for this run, with every disguise of a body in every container once: what is found, what is flagged wrongly, and how fast,
 * beside `grep -F` of one line over the same files. The files were just written, so both read what the system still holds in memory.
 */
export async function benchContamination({ progress: say, mib }: Io): Promise<BenchReport> {
  const folder = await mkdtemp(join(tmpdir(), 'ringside-bench-'))
  try {
    say(`writing ${mib} MiB`)
    const planted = await plantCorpus(folder, mib * 1024 * 1024)
    return { name: 'contamination', figures: await measure(planted, say) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measure(planted: Planted, say: (text: string) => void): Promise<Figure[]> {
  const { copies, unrelated, boilerplate, bytes, folder } = planted
  const line = copies[0]?.body.split('\n')[2]?.trim() ?? ''
  await warm(folder)
  say('grep -F of one line')
  const grep = await timed(() => grepFor(line, folder))
  say('scanning')
  const before = process.memoryUsage().rss
  const scan = await timed(() => scanForBodies([...copies, ...unrelated, ...boilerplate], [folder]))
  const grown = process.memoryUsage().rss - before
  const found = new Set(scan.value?.findings.map(({ task }) => task))
  const of = (items: { id: string }[]) => items.filter(({ id }) => found.has(id)).length
  const mbs = (ms: number) => bytes / 1e3 / ms
  const figure = (name: string, value: number, unit: string, ratio: number | null = null): Figure => ({
    name,
    value,
    unit,
    ratio,
  })
  const ratio = grep.value === null ? null : grep.ms / scan.ms
  return [
    figure('corpus', bytes, 'bytes'),
    figure('bodies looked for at once', copies.length + unrelated.length + boilerplate.length, 'count'),
    figure(`planted copies found, of ${copies.length}`, of(copies), 'count', of(copies) / copies.length),
    figure(`unrelated bodies flagged, of ${unrelated.length}`, of(unrelated), 'count'),
    figure(`boilerplate of other names flagged, of ${boilerplate.length}`, of(boilerplate), 'count'),
    figure('too small to be told from anybody’s', scan.value?.unscannable.length ?? 0, 'count'),
    figure('scan ÷ grep -F of one line', mbs(scan.ms), 'MB/s', ratio),
    ...(grep.value === null ? [] : [figure('grep -F of one line', mbs(grep.ms), 'MB/s')]),
    figure('memory grown', grown / 1e6, 'MB'),
  ]
}

/** Reads one file, so that neither of the two is the first to open the folder. */
const warm = (folder: string) => readFile(join(folder, 'notes.md')).then(() => undefined)

/** @returns how many lines it found; null where there is no grep. */
function grepFor(line: string, folder: string): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn('grep', ['-rFc', '--', line, folder], { stdio: ['ignore', 'pipe', 'ignore'] })
    let said = ''
    child.stdout.on('data', (bytes: Buffer) => {
      said += bytes
    })
    child.once('error', () => resolve(null))
    child.once('close', () =>
      resolve(said.split('\n').reduce((sum, row) => sum + Number(row.split(':').at(-1) || 0), 0)),
    )
  })
}

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const began = performance.now()
  const value = await work()
  return { value, ms: performance.now() - began }
}
