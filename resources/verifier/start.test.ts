import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startVerifier } from './testing/start-verifier.ts'
import { tempFolder } from './testing/temp-folder.ts'
import { smallTasks, writeSuite } from './testing/write-suite.ts'

const room = tempFolder()
afterAll(() => room.dispose())

let made = 0
const folder = () => {
  made += 1
  const path = join(room.path, String(made))
  mkdirSync(path)
  return path
}

const suiteThat = (spoil: (path: string) => void) => {
  const path = folder()
  writeSuite(path, smallTasks)
  spoil(path)
  return path
}
const good = suiteThat(() => {})

/** Exit code and the only line on stderr, for a start that must fail. */
function failedStart(flags: string[], env: NodeJS.ProcessEnv = {}) {
  const main = join(import.meta.dirname, 'main.ts')
  const ended = spawnSync(process.execPath, [main, ...flags], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    timeout: 60_000,
  })
  const lines = ended.stderr.trimEnd().split('\n')
  return { code: ended.status, stdout: ended.stdout, lines: lines.length, text: lines[0] ?? '' }
}

test.each([
  ['no suite named', ['--data', folder()], '--suite is missing.'],
  ['an unknown flag', ['--suite', good, '--data', folder(), '--fast'], 'Unknown option'],
  [
    'a port that is none',
    ['--suite', good, '--data', folder(), '--port', '99999'],
    '--port must be a whole number',
  ],
  ['no suite there', ['--suite', join(room.path, 'none'), '--data', folder()], 'There is no suite to read'],
  [
    'a case changed after it was frozen',
    [
      '--suite',
      suiteThat((path) => appendFileSync(join(path, 'cases/double.jsonl'), '\n')),
      '--data',
      folder(),
    ],
    'but its files hash to',
  ],
  [
    'a file added to it',
    ['--suite', suiteThat((path) => writeFileSync(join(path, 'extra.txt'), 'x')), '--data', folder()],
    'but its files hash to',
  ],
  [
    'a file missing from it',
    ['--suite', suiteThat((path) => rmSync(join(path, 'reference/double.py'))), '--data', folder()],
    'but its files hash to',
  ],
  [
    'a manifest that is no JSON',
    ['--suite', suiteThat((path) => writeFileSync(join(path, 'suite.json'), '{')), '--data', folder()],
    'suite.json is no JSON.',
  ],
  [
    'a host beyond this machine without a token',
    ['--suite', good, '--data', folder(), '--host', '0.0.0.0'],
    'needs --token-file',
  ],
])('%s: one clear line and exit code 2', (_, flags, text) => {
  const ended = failedStart(flags)
  expect({ ...ended, text: ended.text.includes(text) || ended.text }).toEqual({
    code: 2,
    stdout: '',
    lines: 1,
    text: true,
  })
})

test('a missing Python is named, with what to do', () => {
  const ended = failedStart(['--suite', good, '--data', folder()], { RINGSIDE_PYTHON: '/nowhere/python3' })
  expect(ended).toMatchObject({ code: 2, lines: 1 })
  expect(ended.text).toContain('/nowhere/python3: not there')
})

test('a port in use is named', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  const start = startVerifier(good, folder(), { flags: ['--port', String(port)] })
  await expect(start).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use.`)
  await new Promise((closed) => taken.close(closed))
})

test('a page that calls under another name, or from another origin, is refused; a token is asked for', async () => {
  const token = 'a-token-of-some-length'
  writeFileSync(join(room.path, 'token'), `${token}\n`)
  const verifier = await startVerifier(good, folder(), { flags: ['--token-file', join(room.path, 'token')] })
  const status = (headers: Record<string, string>) =>
    new Promise<number | undefined>((settle, reject) => {
      const call = request(`${verifier.url}/v1/health`, { headers, agent: false }, (response) => {
        response.resume()
        settle(response.statusCode)
      })
      call.on('error', reject)
      call.end()
    })
  const authorization = `Bearer ${token}`
  try {
    expect([
      await status({ authorization }),
      await status({ authorization, host: 'localhost:1' }),
      await status({ authorization, host: 'attacker.example' }),
      await status({ authorization, origin: 'http://attacker.example' }),
      await status({ authorization: 'Bearer a-token-of-some-lengtH' }),
      await status({}),
    ]).toEqual([200, 200, 401, 401, 401, 401])
  } finally {
    await verifier.stop()
  }
})

test('told to end in the midst of a body, it ends at once and leaves nothing running', async () => {
  const data = folder()
  const verifier = await startVerifier(good, data)
  const items = [{ id: 'a', task: 'double', body: 'def double(value):\n    while True: pass\n' }]
  const grading = verifier.grade('ending', items).catch(() => null)
  for (let busy = 0; busy === 0; ) {
    const { workers } = (await verifier.json('/v1/health')).body as { workers: { task: string | null }[] }
    busy = workers.filter(({ task }) => task === 'double').length
  }
  await verifier.stop()
  await grading
  const again = await startVerifier(good, data)
  const { body } = await again.json('/v1/health')
  await again.stop()
  expect(body).toMatchObject({ ready: true, executed: 0 })
})
