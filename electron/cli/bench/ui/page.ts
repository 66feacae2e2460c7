import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Browser, CDPSession, Page } from '@playwright/test'

const run = promisify(execFile)

export type Blocks = { tasks: number; longestTask: number; longestOwn: number; own: string }
export type Frames = { count: number; bytes: number; largest: number }
/** Of a look at memory: how long after its beginning the page still has to do with it. */
const aftermathMs = 4000
/** As `nice` counts; what everything else has is 0. */
const firstPriority = -10

/** To Linux each thread has a priority of its own; its main thread also waits for those that collect garbage with it. */
const threadsOf = (pid: number): Promise<number[]> =>
  readdir(`/proc/${pid}/task`).then(
    (names) => names.map(Number),
    () => [pid],
  )

/** In MB: the page's JavaScript after a full collection, and all memory of its process as the system counts it. */
export type Memory = { heap: number; resident: number }

/** A page under the probe of `probe.js`, which measures inside it: nothing here is on the way of a time. */
export class ProbedPage {
  readonly page: Page
  private readonly session: CDPSession
  private readonly browserSession: CDPSession

  private constructor(page: Page, session: CDPSession, browserSession: CDPSession) {
    this.page = page
    this.session = session
    this.browserSession = browserSession
  }

  static async open(browser: Browser): Promise<ProbedPage> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    await context.addInitScript({ path: join(import.meta.dirname, 'probe.js') })
    const page = await context.newPage()
    page.setDefaultTimeout(180_000)
    return new ProbedPage(page, await context.newCDPSession(page), await browser.newBrowserCDPSession())
  }

  /** The page's own clock, from the start of its navigation, when `holds` (an expression) does and is on the screen. */
  until(holds: string): Promise<number> {
    return this.page.evaluate<number>(`ringsideBench.until(() => ${holds})`)
  }

  /** From a change of the address to `holds` on the screen, ms. */
  go(hash: string, holds: string): Promise<number> {
    return this.page.evaluate<number>(`ringsideBench.go(${JSON.stringify(hash)}, () => ${holds})`)
  }

  clear(): Promise<void> {
    return this.page.evaluate('ringsideBench.clear()')
  }

  blocks(): Promise<Blocks> {
    return this.page.evaluate<Blocks>('ringsideBench.blocks')
  }

  frames(): Promise<Frames> {
    return this.page.evaluate<Frames>('ringsideBench.frames')
  }

  async memory(): Promise<Memory> {
    await this.page.evaluate(`ringsideBench.overlook(${aftermathMs})`)
    await this.session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await this.session.send('Runtime.getHeapUsage')
    return { heap: usedSize / 1e6, resident: await this.residentMb() }
  }

  /** Waits until a look at memory is over and forgotten. */
  rest(): Promise<void> {
    return sleep(aftermathMs)
  }

  /**
   * Lets the page's process run before everything else on the machine from here on, as it would with cores to spare: what core, trainer and the rest of the
   * browser take from it on a few cores is no work of the page's, and a clock cannot tell them apart.
   * @returns the priority that it has now; 0 where this user may not raise any.
   */
  async goFirst(): Promise<number> {
    try {
      for (const pid of await this.renderers())
        for (const thread of await threadsOf(pid)) setPriority(thread, firstPriority)
      return firstPriority
    } catch {
      return 0
    }
  }

  private async renderers(): Promise<number[]> {
    const { processInfo } = await this.browserSession.send('SystemInfo.getProcessInfo')
    return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)
  }

  /** Of the browser's pages the largest is the one that is measured; the others are empty. */
  private async residentMb(): Promise<number> {
    const pids = await this.renderers()
    const { stdout } = await run('ps', ['-o', 'rss=', '-p', pids.join(',')])
    const sizes = stdout.trim().split(/\s+/).map(Number)
    return (Math.max(...sizes) * 1024) / 1e6
  }

  close(): Promise<void> {
    return this.page.context().close()
  }
}
