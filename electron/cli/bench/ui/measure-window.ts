import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from '@playwright/test'
import type { OpenCore } from '#services/core/core.ts'
import { rolloutId } from '#shared/base/ids.ts'
import { Random } from '#shared/grpo/random.ts'
import { serve } from '../../../serve/serve.ts'
import type { UiBenchOptions } from './bench-ui.ts'
import { growRun } from './grown-run.ts'
import type { BenchHome } from './home.ts'
import { longestWork } from './main-thread.ts'
import { type Blocks, type Frames, type Memory, ProbedPage } from './page.ts'

const builtWindow = join(import.meta.dirname, '../../../../out/renderer')
/** Odd, so that the median is a measured time. */
const opens = 3
const jumps = 15
/** Shares of the run's steps: a filter of its own each time, as a list that was counted a moment ago is not counted again. */
export const filterShares = [0.1, 0.25, 0.4, 0.55, 0.7]
/** How often memory is looked at in the two minutes that are compared. A look collects garbage first, which is not the window's doing. */
const memoryEveryMs = 10_000
/** A trace of every task is large: of the growth, a minute at its end in pieces. */
const traced = { pieces: 4, ms: 15_000 }

export type WindowMeasures = {
  listMs: number
  opens: number[]
  openFrames: Frames
  openBlocks: Blocks
  filters: number[]
  jumps: number[]
  opened: Memory
  /** One a `memoryEveryMs`. */
  growth: { atMs: number; memory: Memory }[]
  growthBlocks: Blocks
  /** Of the page's process while it grew, as `nice` counts. */
  growthPriority: number
  /** Longest task of the main thread by processor time, ms: while the run was opened, and while it grew. */
  openWork: number
  growthWork: number
  growthFrames: Frames
  /** Read into the index while it grew, a second. */
  eventsPerSecond: number
}

/** Everything that the window is measured by, in one page. */
export async function measureWindow(
  core: OpenCore,
  browser: Browser,
  home: BenchHome,
  options: UiBenchOptions,
): Promise<WindowMeasures> {
  const { run } = home.big.sample
  const shell = await serve({ core, rendererDir: builtWindow, port: 0 })
  const page = await ProbedPage.open(browser)
  try {
    options.progress('opening the window')
    await page.page.goto(shell.freshUrl())
    await page.page.waitForURL((url) => url.search === '')
    const rows = `document.querySelectorAll('.runs-table tbody tr').length === ${options.others + 1}`
    await page.until(rows)
    const opened = await measureOpening(page, run, options)
    const listMs = await page.go('#/runs', rows)
    options.progress('filtering and jumping')
    const filters = await measureFilters(page, run, options)
    const found = await measureJumps(page, run, options)
    const openWork = await longestWork(browser, page.page, () => page.go(`#/live/${run}`, complete(options)))
    const grown = await measureGrowth({ core, browser, page, home, options })
    return { ...opened, listMs, filters, jumps: found, openWork, ...grown }
  } finally {
    await page.close()
    await shell.dispose()
  }
}

/** All that Live shows is on the screen: every mark that it keeps, and with it the charts of all steps. */
const complete = ({ rollouts }: UiBenchOptions) =>
  `Number((document.querySelector('.strip-panel canvas')?.ariaLabel ?? '').match(/^Rewards of ([\\d,]+)/)?.[1].replaceAll(',', '') ?? 0) >= ${Math.min(rollouts, 19_000)}`

async function measureOpening(page: ProbedPage, run: string, options: UiBenchOptions) {
  const times: number[] = []
  let [openFrames, openBlocks] = [await page.frames(), await page.blocks()]
  for (let turn = 0; turn < opens; turn += 1) {
    await page.page.evaluate(`location.hash = '#/live/${run}'`)
    await page.page.reload()
    times.push(await page.until(complete(options)))
    openFrames = await page.frames()
    openBlocks = worse(openBlocks, await page.blocks())
  }
  options.progress(`longest block while opening: ${inWords(openBlocks)}`)
  return { opens: times, openFrames, openBlocks, opened: await page.memory() }
}

const inWords = ({ longestOwn, own }: Blocks) => `${Math.round(longestOwn)} ms in ${own}`

const worse = (a: Blocks, b: Blocks): Blocks => (b.longestOwn >= a.longestOwn ? b : a)

async function measureFilters(page: ProbedPage, run: string, { steps }: UiBenchOptions): Promise<number[]> {
  const listed = `/rollouts$/.test(document.querySelector('#header-slot [role=status]')?.textContent ?? '')`
  await page.go(`#/rollouts/${run}`, listed)
  const times: number[] = []
  for (const share of filterShares) {
    const filter = `status:test_failed reward<0.6 step>${Math.round(share * steps)}`
    const before = await page.page.evaluate<string>(
      `document.querySelector('#header-slot [role=status]').textContent`,
    )
    const others = `document.querySelector('#header-slot [role=status]')?.textContent !== ${JSON.stringify(before)}`
    times.push(
      await page.go(
        `#/rollouts/${run}?filter=${encodeURIComponent(filter)}`,
        `${listed} && ${others} && document.querySelector('tbody tr[data-id]')`,
      ),
    )
  }
  return times
}

/** From anywhere to any rollout of the run: its body and what its tests said. */
async function measureJumps(page: ProbedPage, run: string, { rollouts, steps }: UiBenchOptions) {
  const random = Random.of(1, 'jumps')
  const groups = Math.max(1, Math.round(rollouts / steps / 10))
  const times: number[] = []
  for (let turn = 0; turn < jumps; turn += 1) {
    const [step, group, index] = [
      random.integer(0, steps - 1),
      random.integer(0, groups - 1),
      random.integer(0, 9),
    ]
    const id = rolloutId(run, step, group, index)
    const named = `document.querySelector('#header-slot h1')?.textContent.includes('${step}')`
    times.push(
      await page.go(
        `#/rollout/${id}`,
        `${named} && document.querySelector('.rollout-panes .cm-content') && document.querySelector('.tab-panel tbody tr')`,
      ),
    )
  }
  return times
}

type Growing = {
  core: OpenCore
  browser: Browser
  page: ProbedPage
  home: BenchHome
  options: UiBenchOptions
}

async function measureGrowth({ core, browser, page, home, options }: Growing) {
  const { run } = home.big.sample
  const { minutes, eventsPerSecond, progress } = options
  const end = await growRun(core, home, eventsPerSecond)
  try {
    await page.go(`#/live/${run}`, complete(options))
    const priority = await page.goFirst()
    await page.clear()
    const began = performance.now()
    const before = core.parts.store.summary(run).rollouts
    const growth: WindowMeasures['growth'] = []
    while (performance.now() - began < minutes * 60_000) {
      await sleep(memoryEveryMs)
      const atMs = performance.now() - began
      const minute = Math.ceil(atMs / 60_000)
      if (minute === Math.min(2, minutes) || minute >= minutes)
        growth.push({ atMs, memory: await page.memory() })
      progress(`growing for ${Math.round(atMs / 1000)} s`)
    }
    const seconds = (performance.now() - began) / 1000
    const grown = core.parts.store.summary(run).rollouts - before
    const growthBlocks = await page.blocks()
    progress(`longest block while growing: ${inWords(growthBlocks)}`)
    await page.rest()
    let growthWork = 0
    for (let piece = 0; piece < traced.pieces; piece += 1)
      growthWork = Math.max(growthWork, await longestWork(browser, page.page, () => sleep(traced.ms)))
    return {
      growth,
      growthWork,
      growthBlocks,
      growthPriority: priority,
      growthFrames: await page.frames(),
      // Two events a rollout; the few of a step are not counted.
      eventsPerSecond: (grown * 2) / seconds,
    }
  } finally {
    await end()
  }
}
