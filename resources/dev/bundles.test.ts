import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const booking = join(root, 'out/resources/demo/booking')

beforeAll(async () => {
  const [code] = await once(spawn(process.execPath, ['resources/dev/build.ts'], { cwd: root }), 'exit')
  expect(code).toBe(0)
})

/** Starts a bundle where there is no checkout around: its own folder is all it can find things by. */
function start(bundle: string, args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'))
  const child = spawn(process.execPath, [join(root, 'out', bundle), ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  })
  return { child, folder }
}

test('the bundled verifier finds its harness and suites beside it, grades, and ends on a signal', async () => {
  const data = mkdtempSync(join(tmpdir(), 'data-'))
  onTestFinished(() => rmSync(data, { recursive: true, force: true }))
  const { child } = start('verifier.mjs', [
    '--suite',
    join(booking, 'repaired'),
    '--data',
    data,
    '--port',
    '0',
  ])
  child.stderr.resume()
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const { url } = JSON.parse(line).listening
  const body = (name: string) => readFileSync(join(booking, 'bodies', name), 'utf8')
  const reply = await fetch(`${url}/v1/grade`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      run: 'r-20261129-aaaaaa',
      items: [
        { id: 'right', task: 'required-capacity', body: body('right.py') },
        { id: 'wrong', task: 'required-capacity', body: body('inclusive-oracle.py') },
      ],
      deadlineMs: 60_000,
    }),
  })
  const grades = (await reply.text())
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  expect({ code, grades: grades.map(({ id, status, total }) => ({ id, status, total })) }).toEqual({
    code: 0,
    grades: [
      { id: 'right', status: 'passed', total: 57 },
      { id: 'wrong', status: 'test_failed', total: 57 },
    ],
  })
})

test('the bundled trainer starts and names what it was not given, in one line', async () => {
  const { child } = start('sketch-trainer.mjs', [])
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = await once(child, 'close')
  expect({ code, lines: stderr.trim().split('\n').length, says: stderr.includes('--run-dir') }).toEqual({
    code: 2,
    lines: 1,
    says: true,
  })
})
