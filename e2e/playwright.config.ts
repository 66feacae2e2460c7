import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

/** Debian's Chromium is the engine release of our Electron; on a Mac the installed Chrome comes closest. */
const browsers = [
  process.env.RINGSIDE_CHROMIUM,
  '/usr/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/usr/bin/google-chrome',
]
const executablePath = browsers.find((path) => path !== undefined && existsSync(path))
if (executablePath === undefined) {
  throw new Error('No browser for the browser tests. Install Chromium, or set RINGSIDE_CHROMIUM to its path.')
}

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  // One picture a panel, whatever machine it was drawn on; the tests say how far another may be from it.
  snapshotPathTemplate: '{testDir}/pictures/{arg}{ext}',
  // Every test starts a console, a verifier and a trainer; two cores carry one such stage at a time.
  workers: 1,
  timeout: 180_000,
  expect: { timeout: 30_000 },
  forbidOnly: process.env.CI !== undefined,
  reporter: [['list']],
  use: {
    viewport: { width: 1440, height: 900 },
    actionTimeout: 60_000,
    screenshot: 'only-on-failure',
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath,
      args: [
        // Chromium refuses its sandbox to root, which is who runs the tests in a container; the page is our own.
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
})
