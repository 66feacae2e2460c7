import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCore, type OpenCore } from '#services/core/core.ts'
import manifest from '../../../../package.json' with { type: 'json' }
import type { BenchReport } from '../../commands/bench.ts'
import { launchChromium } from './chromium.ts'
import { figuresOf, type UiFigures } from './figures.ts'
import { type BenchSize, keepIndex, makeHome } from './home.ts'
import { measurePlain } from './measure-plain.ts'
import { measureWindow } from './measure-window.ts'

export type UiBenchOptions = BenchSize & {
  eventsPerSecond: number
  minutes: number
  /** Kept there and used again by the next call of the same size; null: a temporary folder. */
  home: string | null
  progress: (text: string) => void
}

/**
 * The window over a run of a million rollouts: the real core, the browser shell and the built window in one headless Chromium, against a page that
 * holds every row in one array and draws each as a point, in the same browser and the same run. Times are this machine's; ratios are what to compare.
 */
export async function benchUi(options: UiBenchOptions): Promise<BenchReport> {
  const { rollouts, steps, others, progress } = options
  const dir = options.home ?? (await mkdtemp(join(tmpdir(), 'ringside-bench-')))
  try {
    progress(`writing a journal of ${rollouts} rollouts, and ${others} other runs`)
    const home = await makeHome(dir, { rollouts, steps, others }, Date.now())
    progress('reading it into the index')
    const readMs = home.reused ? null : await readIn(dir)
    const { value: core, ms: openMs } = await timed(() => open(dir))
    try {
      const browser = await launchChromium()
      try {
        const ours = await measureWindow(core, browser, home, options)
        const plain = await measurePlain(browser, options)
        const figures: UiFigures = { home, readMs, openMs, ours, plain, options }
        return { name: 'ui', figures: figuresOf(figures) }
      } finally {
        await browser.close()
      }
    } finally {
      await core.dispose()
    }
  } finally {
    if (options.home === null) await rm(dir, { recursive: true, force: true })
  }
}

/** The way that every run's journal goes; what came of it is kept, so that the next call need not go it again. */
async function readIn(dir: string): Promise<number> {
  const { value: core, ms } = await timed(() => open(dir))
  await core.dispose()
  await keepIndex(dir)
  return ms
}

const open = (home: string): Promise<OpenCore> =>
  createCore({ home, shell: 'browser', version: manifest.version })

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const began = performance.now()
  const value = await work()
  return { value, ms: performance.now() - began }
}
