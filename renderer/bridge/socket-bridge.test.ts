import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SocketBridge } from './socket-bridge.ts'

/** The server's end of each connection that the bridge opens, newest last. */
class FakeSocket {
  static all: FakeSocket[] = []
  readonly url: string
  readonly sent: unknown[] = []
  onmessage: ((message: { data: string }) => void) | null = null
  onclose: (() => void) | null = null
  constructor(url: string) {
    this.url = url
    FakeSocket.all.push(this)
  }
  send(text: string) {
    this.sent.push(JSON.parse(text))
  }
  say(frame: unknown) {
    this.onmessage?.({ data: typeof frame === 'string' ? frame : JSON.stringify(frame) })
  }
}

const hello = { t: 'hello', v: 1, server: 'a' }
const unreachable = {
  ok: false,
  error: {
    code: 'unreachable',
    message: 'The console’s core does not answer.',
    hint: 'Check that it is running and reachable; nothing was lost.',
    retryable: true,
  },
}
let sessionStatus: number | null = null

beforeEach(() => {
  FakeSocket.all = []
  sessionStatus = null
  vi.useFakeTimers()
  vi.stubGlobal('WebSocket', FakeSocket)
  vi.stubGlobal('fetch', async (url: URL) => {
    if (sessionStatus === null) throw new TypeError('refused')
    return { url, status: sessionStatus }
  })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const newest = () => {
  const socket = FakeSocket.all.at(-1)
  if (socket === undefined) throw new Error('no connection was opened')
  return socket
}

function openBridge() {
  const bridge = new SocketBridge('ws://127.0.0.1:4711/bridge')
  const heard: unknown[] = []
  for (const name of ['core.lost', 'core.back', 'runs.changed', 'run.advanced'] as const)
    bridge.on(name, (payload) => heard.push([name, payload]))
  return { bridge, heard }
}

test('requests wait for the greeting, and replies find their request in any order', async () => {
  const { bridge } = openBridge()
  const first = bridge.request('settings.get', {})
  const second = bridge.request('settings.set', { theme: 'dark' })
  const before = [...newest().sent]
  newest().say(hello)
  newest().say({ t: 'reply', id: 2, result: { ok: true, value: { theme: 'dark' } } })
  newest().say({ t: 'reply', id: 1, result: { ok: true, value: { theme: 'system' } } })
  expect({ before, sent: newest().sent, first: await first, second: await second }).toEqual({
    before: [],
    sent: [
      { t: 'request', id: 1, name: 'settings.get', input: {} },
      { t: 'request', id: 2, name: 'settings.set', input: { theme: 'dark' } },
    ],
    first: { ok: true, value: { theme: 'system' } },
    second: { ok: true, value: { theme: 'dark' } },
  })
})

test('events reach their listeners until those leave; frames that nobody knows are passed over', () => {
  const { bridge, heard } = openBridge()
  const once: unknown[] = []
  const off = bridge.on('run.advanced', (payload) => once.push(payload))
  newest().say(hello)
  newest().say({ t: 'event', seq: 0, name: 'run.advanced', payload: { run: 'r', seq: 1 } })
  off()
  newest().say({ t: 'tomorrow' })
  newest().say('{"t":')
  newest().say({ t: 'event', seq: 1, name: 'run.advanced', payload: { run: 'r', seq: 2 } })
  expect({ once, heard }).toEqual({
    once: [{ run: 'r', seq: 1 }],
    heard: [
      ['run.advanced', { run: 'r', seq: 1 }],
      ['run.advanced', { run: 'r', seq: 2 }],
    ],
  })
})

test('a break fails what was under way, is told once, and heals by itself', async () => {
  const { bridge, heard } = openBridge()
  newest().say(hello)
  const underWay = bridge.request('settings.get', {})
  newest().onclose?.()
  const failed = await underWay
  await vi.advanceTimersByTimeAsync(400)
  newest().onclose?.()
  await vi.advanceTimersByTimeAsync(0)
  const meanwhile = await bridge.request('settings.get', {})
  await vi.advanceTimersByTimeAsync(1_000)
  newest().say(hello)
  const after = bridge.request('settings.get', {})
  newest().say({ t: 'reply', id: 2, result: { ok: true, value: { theme: 'dark' } } })
  const reason = 'The console’s core does not answer; the window tries again by itself. Runs go on meanwhile.'
  expect({ failed, meanwhile, after: await after, heard, connections: FakeSocket.all.length }).toEqual({
    failed: unreachable,
    meanwhile: unreachable,
    after: { ok: true, value: { theme: 'dark' } },
    heard: [
      ['core.lost', { reason }],
      ['core.back', {}],
      ['runs.changed', {}],
    ],
    connections: 3,
  })
})

test('a console started anew does not know this window: it says so and stops knocking', async () => {
  sessionStatus = 401
  const { heard } = openBridge()
  newest().say(hello)
  newest().onclose?.()
  await vi.advanceTimersByTimeAsync(60_000)
  expect({ heard, connections: FakeSocket.all.length }).toEqual({
    heard: [
      [
        'core.lost',
        { reason: 'The console was started anew; open the address that it printed. Runs go on meanwhile.' },
      ],
    ],
    connections: 1,
  })
})
