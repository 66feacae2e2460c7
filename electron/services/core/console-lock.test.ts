import { spawn } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { attempt } from '#shared/base/result.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import { eventually } from '../box/testing.ts'
import { consoleHolder, lockConsole } from './console-lock.ts'

const now = new Date('2026-11-29T12:00:00Z')

/** Another console: a process that waits to be let go for the lock, then says `locked` or why not, and stays if it has it. */
function otherConsole(path: string) {
  const code = `
    import { once } from 'node:events'
    import { lockConsole } from ${JSON.stringify(`${import.meta.dirname}/console-lock.ts`)}
    console.log('ready')
    await once(process.stdin, 'data')
    try {
      await lockConsole(${JSON.stringify(path)}, 'browser', new Date())
      console.log('locked')
      setInterval(() => {}, 1000)
    } catch (failure) { console.log(failure.code) }
    process.stdin.destroy()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: join(import.meta.dirname, '../../..'),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const line = () =>
    new Promise<string>((resolve) => child.stdout.once('data', (bytes) => resolve(String(bytes).trim())))
  const ready = line()
  /** Lets it go for the lock. @returns what came of it. */
  const go = () => {
    const answer = line()
    child.stdin.write('go')
    return answer
  }
  return { child, ready, go }
}

test('the second console says so; a lock left by a killed one is taken over', async () => {
  const path = join(await tempFolder(), 'console.lock')
  const first = otherConsole(path)
  await first.ready
  expect(await first.go()).toBe('locked')
  expect((await consoleHolder(path))?.pid).toBe(first.child.pid)
  expect(await attempt(() => lockConsole(path, 'browser', now))).toMatchObject({
    ok: false,
    error: { code: 'already_open', message: expect.stringContaining(`process ${first.child.pid}`) },
  })

  first.child.kill('SIGKILL')
  await eventually('its end', async () => (await consoleHolder(path)) === null)
  const lock = await lockConsole(path, 'electron', now)
  expect(await consoleHolder(path)).toMatchObject({ pid: process.pid, shell: 'electron' })
  await lock.dispose()
  expect(await readdir(join(path, '..'))).toEqual([])
})

test('of many consoles that find a stale or damaged lock at once, one gets it', async () => {
  const path = join(await tempFolder(), 'console.lock')
  for (const stale of ['{"pid":1,"startedAt":"ticks:0","shell":"browser","since":"x"}', 'no JSON {']) {
    await writeFile(path, stale)
    const consoles = Array.from({ length: 4 }, () => otherConsole(path))
    await Promise.all(consoles.map((one) => one.ready))
    const said = await Promise.all(consoles.map((one) => one.go()))
    expect([...said].sort()).toEqual(['already_open', 'already_open', 'already_open', 'locked'])
    const winner = consoles[said.indexOf('locked')]
    expect(JSON.parse(await readFile(path, 'utf8')).pid).toBe(winner?.child.pid)
    winner?.child.kill('SIGKILL')
    await eventually('its end', async () => (await consoleHolder(path)) === null)
  }
})
