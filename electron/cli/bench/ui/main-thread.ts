import type { Browser, Page } from '@playwright/test'

type TraceEvent = {
  name: string
  ph: string
  pid: number
  tid: number
  dur?: number
  tdur?: number
  args?: { name?: string }
}

/**
 * The longest that the page's main thread worked without a pause while `work` went on, in ms of processor time: what others on the machine took in between is
 * not the page's doing, and on a busy machine is most of what a clock shows.
 */
export async function longestWork(
  browser: Browser,
  page: Page,
  work: () => Promise<unknown>,
): Promise<number> {
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] })
  await work()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[]
  }
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  let longest = 0
  for (const { ph, pid, tid, dur, tdur } of traceEvents)
    if (ph === 'X' && mains.has(`${pid} ${tid}`)) longest = Math.max(longest, tdur ?? dur ?? 0)
  return longest / 1000
}
