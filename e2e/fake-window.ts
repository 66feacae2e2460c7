import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { test as base, expect, type Page } from '@playwright/test'
import { build } from 'vite'

type WorkerFixtures = {
  /** Address of the window over its fake core, built once for all tests of a worker. */
  fake: string
}
type Fixtures = {
  /** Opens the window at a moment of the fake run (`at=end`, standing still) and at a route, with `more` of the address; its console must stay clean. */
  open: (route: string, at?: string, more?: string) => Promise<Page>
}

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  fake: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures wanted from the pattern.
    async ({}, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'ringside-fake-'))
      await build({
        configFile: join(import.meta.dirname, '../renderer/testing/vite.config.ts'),
        logLevel: 'error',
        build: { outDir: folder },
      })
      const server = createServer((request, response) => {
        const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname
        readFile(join(folder, path)).then(
          (bytes) => response.writeHead(200, { 'content-type': types[extname(path)] ?? '' }).end(bytes),
          () => response.writeHead(404).end(),
        )
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/testing/fake.html`)
      server.closeAllConnections()
      server.close()
      await rm(folder, { recursive: true, force: true })
    },
    { scope: 'worker' },
  ],

  open: async ({ page, fake }, use) => {
    const errors: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text())
    })
    page.on('pageerror', (error) => errors.push(String(error.stack ?? error)))
    await use(async (route, at = 'end', more = '') => {
      await page.goto(`${fake}?at=${at}&speed=0${more}#${route}`)
      return page
    })
    expect(errors).toEqual([])
  },
})

export { expect }
export const fakeRun = 'r-20261129-7k2m4q'
