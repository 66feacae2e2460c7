import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../testing/temp-folder.ts'
import { ask } from './testing.ts'

const root = join(import.meta.dirname, '../..')

beforeAll(async () => {
  const [code] = await once(spawn(process.execPath, ['resources/dev/build.ts'], { cwd: root }), 'exit')
  expect(code).toBe(0)
})

/** Starts the browser shell as its own process, as `npm start` does. */
function start(home: string, ...args: string[]) {
  const child = spawn(process.execPath, ['electron/serve/main.ts', '--no-open', ...args], {
    cwd: root,
    env: { ...process.env, RINGSIDE_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const seen = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    seen.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    seen.stderr += chunk
  })
  return { child, seen }
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
  return child.exitCode
}

async function urlOf({ child, seen }: ReturnType<typeof start>): Promise<URL> {
  const url = () => /http:\S+token=\S+/.exec(seen.stdout)?.[0]
  while (url() === undefined) {
    if (child.exitCode !== null) throw new Error(`It ended before it was open: ${seen.stderr}`)
    await Promise.race([once(child.stdout, 'data'), once(child, 'close')])
  }
  return new URL(url() ?? '')
}

test('it opens, serves the window, and a signal ends it so that the folder is free again', async () => {
  const home = await tempFolder()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const shell = start(home)
    const url = await urlOf(shell)
    const page = await ask(Number(url.port), url.pathname + url.search)
    shell.child.kill(signal)
    expect({ page: page.status, exit: await ended(shell.child), stderr: shell.seen.stderr }).toEqual({
      page: 200,
      exit: 0,
      stderr: '',
    })
  }
})

test('a second console on the same data folder says so', async () => {
  const home = await tempFolder()
  const first = start(home)
  await urlOf(first)
  const second = start(home)
  const code = await ended(second.child)
  first.child.kill('SIGTERM')
  await ended(first.child)
  expect({ code, lines: second.seen.stderr.trim().split('\n') }).toEqual({
    code: 1,
    lines: [expect.stringMatching(/Close the other console on this data folder, or use another with/)],
  })
})

test('bad options and a taken port are one clear line each', async () => {
  const home = await tempFolder()
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  onTestFinished(() => {
    taken.close()
  })
  const { port } = taken.address() as { port: number }
  const outcome = async (...args: string[]) => {
    const { child, seen } = start(home, ...args)
    return [await ended(child), seen.stderr, seen.stdout]
  }
  expect([
    await outcome('--port', 'eighty'),
    await outcome('--prot', '80'),
    await outcome('--port', String(port)),
  ]).toEqual([
    [
      2,
      '--port eighty: a port is a whole number from 0 to 65535. Correct the named field and try again.\n',
      '',
    ],
    [2, expect.stringMatching(/^Unknown option '--prot'.*\n$/), ''],
    [
      2,
      `Port ${port} on 127.0.0.1 is taken by another program. Choose another port, or leave --port out to take a free one.\n`,
      '',
    ],
  ])
})
