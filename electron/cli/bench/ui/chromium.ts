import { existsSync } from 'node:fs'
import type { Browser } from '@playwright/test'
import { AppError } from '#shared/base/errors.ts'

/** Debian's Chromium is the engine release of our Electron; on a Mac the installed Chrome comes closest. */
const browsers = [
  process.env.RINGSIDE_CHROMIUM,
  '/usr/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/usr/bin/google-chrome',
]

/** A headless browser, driven by what also drives the browser tests. @throws {AppError} `not_found` where either is missing. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = browsers.find((path) => path !== undefined && existsSync(path))
  if (executablePath === undefined)
    throw new AppError('not_found', 'No Chromium or Chrome was found for the bench.', {
      hint: 'Install one, or set RINGSIDE_CHROMIUM to its path.',
    })
  const { chromium } = await import('@playwright/test').catch((cause: unknown) => {
    throw new AppError('not_found', 'Playwright is not installed here.', {
      hint: 'npm install brings it: the bench of the window needs the development packages.',
      cause,
    })
  })
  // Chromium refuses its sandbox to root, which is who runs this in a container; the page is our own.
  const rootArgs = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({ executablePath, args: [...rootArgs, '--disable-gpu', '--no-first-run'] })
}
