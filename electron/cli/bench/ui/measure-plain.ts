import type { Browser } from '@playwright/test'
import type { UiBenchOptions } from './bench-ui.ts'
import { filterShares } from './measure-window.ts'
import { type Blocks, type Memory, ProbedPage } from './page.ts'
import { servePlain } from './plain.ts'

export type PlainMeasures = {
  openMs: number
  filters: number[]
  jumpMs: number
  opened: Memory
  growthBlocks: Blocks
  grownMbPerMinute: number
}

/** Long enough for a slope, short enough that a page which redraws everything survives it. */
const growSeconds = 30

export async function measurePlain(browser: Browser, options: UiBenchOptions): Promise<PlainMeasures> {
  options.progress('the plain way')
  const plain = await servePlain(options)
  const page = await ProbedPage.open(browser)
  try {
    await page.page.goto(plain.url)
    const openMs = await page.page.evaluate<number>('plain.open()')
    const filters: number[] = []
    for (const share of filterShares)
      filters.push(await page.page.evaluate<number>(`plain.filter(${Math.round(share * options.steps)})`))
    const last = `r-20261129-mmmmmm/${options.steps - 1}/0/3`
    const jumpMs = await page.page.evaluate<number>(`plain.jump('${last}')`)
    const opened = await page.memory()
    await page.goFirst()
    await page.clear()
    await page.page.evaluate(`plain.grow(${options.eventsPerSecond / 2}, ${growSeconds})`)
    const growthBlocks = await page.blocks()
    const grownMbPerMinute = ((await page.memory()).heap - opened.heap) * (60 / growSeconds)
    return { openMs, filters, jumpMs, opened, growthBlocks, grownMbPerMinute }
  } finally {
    await page.close()
    await plain.close()
  }
}
