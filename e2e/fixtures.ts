import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, expect, type Page } from '@playwright/test'
import { type ConsoleProcess, startConsole } from './console-process.ts'

type Fixtures = {
  /** A data folder of the test's own, gone afterwards. */
  home: string
  /** The browser shell on it, ended afterwards. */
  shell: ConsoleProcess
  /** A signed-in window whose console must stay clean: any error in it fails the test. */
  window: Page
  /** Messages that a test brings about on purpose: a console that was killed cannot be reached, and Chromium says so. None by default. */
  allowedErrors: RegExp
  /** Set for the console besides what is set here. */
  environment: Record<string, string>
  /** Saves what is on the screen under test-results/screens, as an artefact to be looked at. */
  shot: (name: string) => Promise<void>
}

export const test = base.extend<Fixtures>({
  allowedErrors: [/(?!)/, { option: true }],

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures wanted from the pattern.
  environment: async ({}, use) => use({}),

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures wanted from the pattern.
  home: async ({}, use) => {
    const home = await mkdtemp(join(tmpdir(), 'ringside-e2e-'))
    await use(home)
    endRunsOf(home)
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  },

  shell: async ({ home, environment }, use) => {
    const shell = await startConsole(home, 0, environment)
    await use(shell)
    await shell.end()
  },

  window: async ({ page, shell, allowedErrors }, use) => {
    const errors: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text())
    })
    page.on('pageerror', (error) => errors.push(String(error.stack ?? error)))
    await page.goto(shell.url)
    await page.waitForURL((url) => url.search === '')
    await use(page)
    expect(errors.filter((text) => !allowedErrors.test(text))).toEqual([])
  },

  shot: async ({ window }, use) => {
    await use(async (name) => {
      await window.screenshot({ path: join(import.meta.dirname, `../test-results/screens/${name}.png`) })
    })
  },
})

export { expect }

/** A failed test must not leave a run behind: whatever names its data folder on its command line is ended, by its own pid. */
function endRunsOf(home: string): void {
  const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' })
  for (const line of stdout.split('\n')) {
    const pid = Number.parseInt(line, 10)
    if (!line.includes(home) || pid === process.pid) continue
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Gone meanwhile.
    }
  }
}
