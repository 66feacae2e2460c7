import { once } from 'node:events'
import { expect, test } from 'vitest'
import { eventNames, type Outputs } from '#shared/ipc/contract.ts'
import { maxRequestBytes } from '#shared/ipc/wire.ts'
import { scriptedCore } from '../testing/scripted-core.ts'
import { serve } from './serve.ts'
import { openWindow, startShell, tinyWindow } from './testing.ts'

const settings: Outputs['settings.get'] = {
  theme: 'dark',
  board: { order: [], hidden: [], large: null },
  notify: false,
  rates: {},
}

const request = (id: number, name: string, input: unknown) =>
  JSON.stringify({ t: 'request', id, name, input })

test('requests are parsed and answered by number, and events follow the greeting', async () => {
  const core = scriptedCore({ 'settings.set': ({ theme }) => ({ ...settings, theme: theme ?? 'system' }) })
  const window = await openWindow(await startShell(core))
  window.socket.send(request(1, 'settings.set', { theme: 'dark' }))
  await window.until(2)
  window.socket.send(request(2, 'settings.set', { theme: 'pink' }))
  await window.until(3)
  window.socket.send(request(3, 'shell.exec', {}))
  await window.until(4)
  core.emit('run.advanced', { run: 'r-20261129-aaaaaa', seq: 7 })
  const bad = (message: string) => ({
    ok: false,
    error: { code: 'bad_input', message, hint: 'Correct the named field and try again.', retryable: false },
  })
  expect(await window.until(5)).toEqual([
    { t: 'hello', v: 1, server: expect.stringMatching(/^[0-9a-f]{16}$/) },
    { t: 'reply', id: 1, result: { ok: true, value: { ...settings, theme: 'dark' } } },
    { t: 'reply', id: 2, result: bad(expect.stringMatching(/^settings\.set: theme: /) as string) },
    { t: 'reply', id: 3, result: bad('There is no request shell.exec.') },
    { t: 'event', seq: 0, name: 'run.advanced', payload: { run: 'r-20261129-aaaaaa', seq: 7 } },
  ])
})

test.each([
  ['no JSON', 'hello', 1008],
  ['a frame of another kind', JSON.stringify({ t: 'event', name: 'x' }), 1008],
  ['a frame with more in it', JSON.stringify({ t: 'request', id: 1, name: 'x', input: {}, extra: 1 }), 1008],
  ['a binary frame', Buffer.from(request(1, 'settings.get', {})), 1008],
  ['a frame over the limit', request(1, 'settings.get', 'x'.repeat(maxRequestBytes)), 1009],
])('%s closes the socket', async (_name, data, code) => {
  const { socket } = await openWindow(await startShell())
  socket.send(data)
  const [got] = await once(socket, 'close')
  expect(got).toBe(code)
})

test('a window that asks without end is read no further until answers went out', async () => {
  let running = 0
  let most = 0
  const gates: (() => void)[] = []
  const core = scriptedCore({
    'settings.get': async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise<void>((resolve) => gates.push(resolve))
      running -= 1
      return settings
    },
  })
  const window = await openWindow(await startShell(core))
  for (let id = 1; id <= 200; id++) window.socket.send(request(id, 'settings.get', {}))
  while (window.frames.length < 201) {
    for (const open of gates.splice(0)) open()
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(most).toBe(32)
})

test('a window that goes leaves no listener behind', async () => {
  const core = scriptedCore({})
  const window = await openWindow(await startShell(core))
  const until = async (count: number) => {
    while (core.listeners() !== count) await new Promise((resolve) => setImmediate(resolve))
  }
  // The window is told that it is open before the shell has subscribed for it.
  await until(eventNames.length)
  window.socket.close()
  await once(window.socket, 'close')
  await until(0)
  expect(core.listeners()).toBe(0)
})

test('a taken port is one clear error, and ending the shell frees its own', async () => {
  const rendererDir = await tinyWindow()
  const first = await serve({ core: scriptedCore({}), rendererDir, port: 0 })
  const second = serve({ core: scriptedCore({}), rendererDir, port: first.port })
  await expect(second).rejects.toMatchObject({
    code: 'port_in_use',
    message: `Port ${first.port} on 127.0.0.1 is taken by another program.`,
  })
  await first.dispose()
  const third = await serve({ core: scriptedCore({}), rendererDir, port: first.port })
  await third.dispose()
  expect(third.port).toBe(first.port)
})
