import { createRequire, registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Result } from '#shared/base/result.ts'
import type { Bridge } from '#shared/ipc/contract.ts'
import { record } from './record.ts'

/**
 * `node drive.ts SCENARIO OUT`: runs the built main and preload in OUT against the stand-in, plays the scenario and prints what was seen as
 * one JSON line. A process of its own, because main takes over its process as an application does.
 */
const [scenario = '', out = ''] = process.argv.slice(2)
const standIn = pathToFileURL(join(import.meta.dirname, 'electron.ts')).href

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: standIn, shortCircuit: true } : next(specifier, context),
})
const { app, session } = await import('./electron.ts')

const scenarios: Record<string, () => Promise<unknown>> = {
  async opens() {
    const bridge = await openPage()
    return {
      calls: record.calls,
      userData: record.paths.userData,
      windowOptions: record.windowOptions,
      exposed: [...record.exposed].map(([name, api]) => [name, Object.keys(api).sort()]),
      requests: await requests(bridge),
      senders: await senders(),
      events: events(bridge),
      navigation: navigation(),
      permissions: permissions(),
      pages: await pages(),
      quitting: await quitting(),
    }
  },
  async launches() {
    const bridge = await openPage()
    const { suites, defaults } = unwrap(await bridge.request('launch.options', {}))
    const draft = { ...defaults, updates: 1, groupsPerStep: 1, evalDraws: 2, paceMs: 0 }
    const { run } = unwrap(await bridge.request('launch.start', { draft }))
    let summary = unwrap(await bridge.request('runs.state', { run })).summary
    while (summary.phase !== 'finished') {
      await new Promise((resolve) => setTimeout(resolve, 100))
      summary = unwrap(await bridge.request('runs.state', { run })).summary
    }
    const { plan } = unwrap(await bridge.request('teardown.plan', { run }))
    const report = unwrap(
      await bridge.request('teardown.run', { run, confirm: plan.map(({ lease }) => lease) }),
    )
    await quitting()
    return {
      suitesFromOut: suites.every(({ path }) => path.startsWith(join(out, 'resources/demo'))),
      outcome: summary.outcome,
      rollouts: summary.rollouts,
      nullRewards: summary.nullRewards,
      left: report.left,
    }
  },
  async mutants() {
    const bridge = await openPage()
    const { suites } = unwrap(await bridge.request('launch.options', {}))
    const path = (name: string) => suites.find((suite) => suite.name === name)?.path ?? ''
    const measure = { suite: path('booking-weak'), audit: path('booking-audit'), task: null, limit: 1000 }
    const { total, survivors } = unwrap(await bridge.request('mutants.measure', measure))
    await quitting()
    return {
      graded: total.graded === total.possible && total.graded > 20,
      falseAcceptances: survivors
        .filter(({ fate }) => fate === 'false_acceptance')
        .map(({ before, after }) => `${before} → ${after}`),
    }
  },
  async second() {
    return { calls: record.calls, windows: record.window === null ? 0 : 1 }
  },
  async refused() {
    await until(() => record.calls.some((call) => call.startsWith('app.exit')))
    return { calls: record.calls.filter((call) => /^(error box|app\.exit)/.test(call)) }
  },
}

/** Waits for the window and runs the preload, as Electron does for its page. */
async function openPage(): Promise<Bridge> {
  const gaveUp = () => record.calls.some((call) => call.startsWith('app.exit'))
  await until(() => record.calls.includes('show') || gaveUp())
  if (gaveUp()) throw new Error(`It gave up: ${record.calls.join('; ')}`)
  createRequire(import.meta.url)(join(out, 'preload/preload.cjs'))
  return record.exposed.get('ringside') as Bridge
}

function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`)
  return result.value
}

async function requests(bridge: Bridge) {
  const raw = bridge.request as (name: unknown, input: unknown) => Promise<unknown>
  return {
    set: await bridge.request('settings.set', { theme: 'dark' }),
    get: await bridge.request('settings.get', {}),
    badInput: await raw('settings.set', { theme: 'pink' }),
    unknown: await raw('shell.exec', {}),
    inherited: await raw('constructor', {}),
    noName: await raw(42, {}),
  }
}

/** The same request from everyone who is not our page's main frame. */
async function senders() {
  const window = record.window?.webContents
  const mainFrame = window?.mainFrame
  const ask = (event: unknown) => record.handlers.get('ringside:request')?.(event, 'settings.get', {})
  const results = {
    noFrame: await ask({ sender: window, senderFrame: null }),
    subframe: await ask({ sender: window, senderFrame: { url: 'ringside://console/' } }),
    otherContents: await ask({ sender: {}, senderFrame: mainFrame }),
    elsewhere: await at('https://evil.example/', () => ask({ sender: window, senderFrame: mainFrame })),
    lookalike: await at('ringside://console.evil/', () => ask({ sender: window, senderFrame: mainFrame })),
    file: await at('file:///tmp/index.html', () => ask({ sender: window, senderFrame: mainFrame })),
  }
  return Object.fromEntries(
    Object.entries(results).map(([name, result]) => [
      name,
      (result as { error?: { code: string } }).error?.code ?? 'answered',
    ]),
  )
}

async function at<T>(url: string, work: () => T | Promise<T>): Promise<T> {
  const frame = record.window?.webContents.mainFrame ?? { url: '' }
  const before = frame.url
  frame.url = url
  try {
    return await work()
  } finally {
    frame.url = before
  }
}

function events(bridge: Bridge) {
  const heard: unknown[] = []
  const off = bridge.on('run.advanced', (...args) => heard.push(args))
  const send = (seq: number) =>
    record.window?.webContents.send('ringside:event', 'run.advanced', { run: 'r', seq })
  send(1)
  record.window?.webContents.send('ringside:event', 'runs.changed', {})
  off()
  send(2)
  return heard
}

function navigation() {
  const contents = record.window?.webContents
  const prevented = (name: string, event: object) => {
    let stopped = false
    contents?.emit(name, { ...event, preventDefault: () => (stopped = true) })
    return stopped
  }
  return {
    away: prevented('will-navigate', { url: 'https://evil.example/' }),
    lookalike: prevented('will-navigate', { url: 'ringside://console.evil/' }),
    file: prevented('will-navigate', { url: 'file:///etc/passwd' }),
    within: prevented('will-navigate', { url: 'ringside://console/#/runs' }),
    redirect: prevented('will-redirect', { url: 'https://evil.example/' }),
    frame: prevented('will-frame-navigate', { url: 'ringside://console/', isMainFrame: false }),
    webview: prevented('will-attach-webview', {}),
    open: contents?.openHandler({ url: 'https://evil.example/' }),
  }
}

function permissions() {
  const call = (name: string, ...args: unknown[]) => record.session.get(name)?.(...(args as [unknown]))
  const asked = (permission: string, url: string) => {
    let granted: unknown = null
    call('permission', { getURL: () => url }, permission, (value: unknown) => {
      granted = value
    })
    return granted
  }
  const cancelled = (url: string) => {
    let answer: unknown = null
    call('request', { url }, (value: { cancel: boolean }) => {
      answer = value.cancel
    })
    return answer
  }
  let downloadStopped = false
  session.defaultSession.emit('will-download', { preventDefault: () => (downloadStopped = true) })
  return {
    camera: asked('media', 'ringside://console/'),
    copy: asked('clipboard-sanitized-write', 'ringside://console/'),
    copyElsewhere: asked('clipboard-sanitized-write', 'https://evil.example/'),
    paste: call('check', null, 'clipboard-read', 'ringside://console'),
    device: call('device', {}),
    fetchAway: cancelled('https://evil.example/'),
    socketAway: cancelled('ws://127.0.0.1:1/'),
    file: cancelled('file:///etc/passwd'),
    own: cancelled('ringside://console/assets/a.js'),
    downloadStopped,
  }
}

async function pages() {
  const handler = record.session.get('scheme ringside') as unknown as (request: Request) => Promise<Response>
  const get = async (url: string, method = 'GET') => (await handler(new Request(url, { method }))).status
  const index = await handler(new Request('ringside://console/'))
  return {
    index: [index.status, Object.fromEntries(index.headers), (await index.text()).includes('<div id="root"')],
    missing: await get('ringside://console/package.json'),
    outside: await get('ringside://console/%2e%2e/main/index.js'),
    otherHost: await get('ringside://other/'),
    post: await get('ringside://console/', 'POST'),
  }
}

async function quitting() {
  const prevented: boolean[] = []
  const ask = () => {
    let stopped = false
    app.emit('before-quit', { preventDefault: () => (stopped = true) })
    prevented.push(stopped)
  }
  ask()
  await until(() => app.quits > 0)
  ask()
  return { prevented, quits: app.quits, handlers: record.handlers.size }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

if (scenario === 'second') record.lock = false
await import(pathToFileURL(join(out, 'main/index.js')).href)
const seen = await scenarios[scenario]?.()
process.stdout.write(`${JSON.stringify(seen)}\n`, () => process.exit(0))
