import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test, vi } from 'vitest'
import { createCore } from '#services/core/core.ts'
import { tempFolder } from '../testing/temp-folder.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const out = join(root, 'out')

beforeAll(() => run(process.execPath, ['resources/dev/build.ts'], { cwd: root }))

/** A whole run is among the scenarios, on whatever the machine has to spare. */
const limitMs = 180_000
vi.setConfig({ testTimeout: limitMs })

/** Plays a scenario against the built main and preload. */
async function play(scenario: string, home: string) {
  const { stdout } = await run(process.execPath, ['electron/testing/stand-in/drive.ts', scenario, out], {
    cwd: root,
    env: { ...process.env, RINGSIDE_HOME: home },
    // A scenario that waits for what never comes must not outlive the test.
    timeout: limitMs - 5_000,
    killSignal: 'SIGKILL',
  })
  return JSON.parse(stdout)
}

const badInput = (message: string) => ({
  ok: false,
  error: { code: 'bad_input', message, hint: 'Correct the named field and try again.', retryable: false },
})

test('the built window is sandboxed, has the Bridge and nothing else, and stays where it is', async () => {
  const home = await tempFolder()
  const settings = { theme: 'dark', board: { order: [], hidden: [], large: null }, notify: false, rates: {} }
  const seen = await play('opens', home)
  expect(seen).toEqual({
    calls: [
      'schemes [{"scheme":"ringside","privileges":{"standard":true,"secure":true,"supportFetchAPI":true,"codeCache":true}}]',
      'menu fileMenu editMenu View windowMenu',
      'loadURL ringside://console/',
      'show',
      'app.quit',
    ].map((call) => (process.platform === 'darwin' ? call.replace('fileMenu', 'appMenu') : call)),
    userData: join(home, 'window'),
    windowOptions: {
      width: 1440,
      height: 900,
      minWidth: 960,
      minHeight: 600,
      show: false,
      title: 'Ringside',
      backgroundColor: '#0f1317',
      webPreferences: {
        preload: join(out, 'preload/preload.cjs'),
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        nodeIntegrationInWorker: false,
        nodeIntegrationInSubFrames: false,
        webSecurity: true,
        allowRunningInsecureContent: false,
        webviewTag: false,
        navigateOnDragDrop: false,
        spellcheck: false,
      },
    },
    exposed: [['ringside', ['on', 'request']]],
    requests: {
      set: { ok: true, value: settings },
      get: { ok: true, value: settings },
      badInput: badInput(expect.stringMatching(/^settings\.set: theme: /) as string),
      unknown: badInput('There is no request shell.exec.'),
      inherited: badInput('There is no request constructor.'),
      noName: badInput('A request needs a name.'),
    },
    senders: {
      noFrame: 'unauthorized',
      subframe: 'unauthorized',
      otherContents: 'unauthorized',
      elsewhere: 'unauthorized',
      lookalike: 'unauthorized',
      file: 'unauthorized',
    },
    events: [[{ run: 'r', seq: 1 }]],
    navigation: {
      away: true,
      lookalike: true,
      file: true,
      within: false,
      redirect: true,
      frame: true,
      webview: true,
      open: { action: 'deny' },
    },
    permissions: {
      camera: false,
      copy: true,
      copyElsewhere: false,
      paste: false,
      device: false,
      fetchAway: true,
      socketAway: true,
      file: true,
      own: false,
      downloadStopped: true,
    },
    pages: {
      index: [
        200,
        {
          'content-security-policy':
            "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
            "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; object-src 'none'; " +
            "frame-ancestors 'none'",
          'content-type': 'text/html; charset=utf-8',
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
        },
        true,
      ],
      missing: 404,
      outside: 404,
      otherHost: 403,
      post: 403,
    },
    quitting: { prevented: [true, false], quits: 1, handlers: 0 },
  })
})

test('a run launched from the built main runs the built programs to its end, and nothing of it is left', async () => {
  expect(await play('launches', await tempFolder())).toEqual({
    suitesFromOut: true,
    outcome: 'completed',
    rollouts: 4,
    nullRewards: 0,
    left: [],
  })
})

test('the built main parses bodies: mutants of the reference need the grammars that were installed beside it', async () => {
  expect(await play('mutants', await tempFolder())).toEqual({ graded: true, falseAcceptances: ['<= → <'] })
})

test('a second instance only ends itself', async () => {
  const home = await tempFolder()
  expect(await play('second', home)).toEqual({ calls: ['app.quit'], windows: 0 })
  expect(await readdir(home)).toEqual(['window'])
})

test('a data folder that another console has is said in a dialog, and nothing opens', async () => {
  const home = await tempFolder()
  const other = await createCore({ home, shell: 'command', version: '0.0.0' })
  const seen = await play('refused', home).finally(() => other.dispose())
  expect(seen).toEqual({
    calls: [
      expect.stringMatching(/^error box: .* Close the other console on this data folder, or use another/),
      'app.exit 1',
    ],
  })
})
