import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, CDPSession, Page } from '@playwright/test'

const run = promisify(execFile)

export type Blocks = { tasks: number; longestTask: number; longestOwn: number; own: string }
export type Frames = { count: number; bytes: number; largest: number }
/** Of a look at memory: how long after its beginning the page still has to do with it. */
const aftermathMs = 4000

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

  /** Of the browser's pages the largest is the one that is measured; the others are empty. */
  private async residentMb(): Promise<number> {
    const { processInfo } = await this.browserSession.send('SystemInfo.getProcessInfo')
    const pids = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)
    const { stdout } = await run('ps', ['-o', 'rss=', '-p', pids.join(',')])
    const sizes = stdout.trim().split(/\s+/).map(Number)
    return (Math.max(...sizes) * 1024) / 1e6
  }

  close(): Promise<void> {
    return this.page.context().close()
  }
}
