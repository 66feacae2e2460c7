import { appendFileSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { Evidence } from '#shared/domain/verifier.ts'
import { findBubblewrap } from '../sandbox/bubblewrap.ts'
import { startVerifier } from '../testing/start-verifier.ts'
import { tempFolder } from '../testing/temp-folder.ts'
import { smallTasks, writeSuite } from '../testing/write-suite.ts'

const folders: { dispose(): void }[] = []
const folder = () => {
  const made = tempFolder()
  folders.push(made)
  return made.path
}
afterEach(() => {
  for (const made of folders.splice(0)) made.dispose()
})

const smallSuite = () => {
  const path = folder()
  writeSuite(path, smallTasks)
  return path
}

/** `count` distinct bodies, each under three ids. */
const batch = (count: number) =>
  Array.from({ length: count * 3 }, (_, index) => {
    const body = `def double(value):\n    return value * 2  # ${index % count}\n`
    return { id: `i-${index}`, task: 'double', body }
  })

const evidenceIn = (data: string) =>
  readdirSync(join(data, 'evidence'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /[0-9a-f]{64}$/.test(name))
    .map((name) => Evidence.parse(JSON.parse(readFileSync(join(data, 'evidence', name), 'utf8'))))

test('killed at any moment it loses no finished grade and executes none twice', {
  timeout: 300_000,
}, async () => {
  const suite = smallSuite()
  const data = folder()
  const items = batch(60)
  const finished = new Map<string, string | null>()
  let seed = 7
  for (let round = 0; round < 10; round += 1) {
    const verifier = await startVerifier(suite, data)
    const request = { method: 'POST', body: JSON.stringify({ run: 'killed', items }) }
    const reply = await fetch(`${verifier.url}/v1/grade`, request)
    seed = (seed * 1103515245 + 12345) % 2 ** 31
    const lines = seed % 30
    let text = ''
    let count = 0
    try {
      for await (const chunk of reply.body ?? []) {
        text += Buffer.from(chunk).toString('utf8')
        count = text.split('\n').length - 1
        if (count >= lines) break
      }
    } catch {
      // The connection is cut with the process; what came before counts.
    }
    await verifier.stop('SIGKILL')
    for (const line of text.split('\n').slice(0, -1)) {
      const { id, status, evidenceSha256 } = JSON.parse(line)
      expect(status).toBe('passed')
      expect(finished.get(id) ?? evidenceSha256).toBe(evidenceSha256)
      finished.set(id, evidenceSha256)
    }
  }
  const verifier = await startVerifier(suite, data)
  const grades = await verifier.grade('killed', items)
  const saved = await (await fetch(`${verifier.url}/v1/grades?run=killed`)).text()
  await verifier.stop()
  expect([...grades.values()].map(({ status }) => status)).toEqual(items.map(() => 'passed'))
  for (const [id, evidence] of finished) expect(grades.get(id)?.evidenceSha256).toBe(evidence)
  const ids = saved
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).id)
  expect(ids.sort()).toEqual(items.map(({ id }) => id).sort())
  const executions = evidenceIn(data).map((evidence) => evidence.execution?.id)
  expect([executions.length, new Set(executions).size]).toEqual([60, 60])
})

const tmpfs = process.platform === 'linux' && !('missing' in (await findBubblewrap()))

test.skipIf(!tmpfs)(
  'a full disk is silence, then the very execution that was kept (needs bubblewrap for a small disk)',
  async () => {
    const data = folder()
    const ballast = `head -c 150000 /dev/zero > ${data}/ballast; exec "$@"`
    const wrap = [
      'bwrap',
      '--dev-bind',
      '/',
      '/',
      '--size',
      '300000',
      '--tmpfs',
      data,
      'sh',
      '-c',
      ballast,
      'sh',
    ]
    const verifier = await startVerifier(smallSuite(), data, { wrap })
    try {
      const large = (index: number) =>
        `def double(value):\n    return value * 2\n# ${index}${'x'.repeat(40_000)}\n`
      const items = Array.from({ length: 6 }, (_, index) => ({
        id: `i-${index}`,
        task: 'double',
        body: large(index),
      }))
      const first = await verifier.grade('full', items)
      const full = [...first.values()].filter(({ status }) => status !== 'passed')
      expect(full.length).toBeGreaterThan(1)
      expect(full.map(({ status, reason, reward }) => [status, reason, reward])).toEqual(
        full.map(() => ['unresolved', 'disk_full', null]),
      )
      const health = async () =>
        (await verifier.json('/v1/health')).body as { ready: boolean; executed: number }
      const before = await health()
      expect(before.ready).toBe(true)
      rmSync(`/proc/${verifier.pid}/root${data}/ballast`)
      const second = await verifier.grade('full', items)
      expect([...second.values()].map(({ status }) => status)).toEqual(items.map(() => 'passed'))
      // What was executed while the disk was full was kept; what was refused then is executed now; nothing twice.
      expect((await health()).executed).toBe(6)
    } finally {
      await verifier.stop()
    }
  },
)

test('a torn tail and a damaged line lose nothing else', async () => {
  const suite = smallSuite()
  const data = folder()
  const items = batch(2)
  const first = await startVerifier(suite, data)
  await first.grade('torn', items)
  await first.stop('SIGKILL')
  appendFileSync(join(data, 'grades.jsonl'), 'no record\n{"run":"torn","id":"i-9')
  appendFileSync(join(data, 'executions.jsonl'), '{"type":"fini')
  const second = await startVerifier(suite, data)
  const grades = await second.grade('torn', [...items, { id: 'i-9', task: 'double', body: 'double = abs\n' }])
  await second.stop()
  expect([...grades.values()].filter(({ cache }) => cache === 'replayed')).toHaveLength(items.length)
  const lines = readFileSync(join(data, 'grades.jsonl'), 'utf8').trimEnd().split('\n')
  const ids = lines.map((line) => (line.startsWith('{') ? JSON.parse(line).id : line))
  expect(ids.sort()).toEqual([...items.map(({ id }) => id), 'i-9', 'no record'].sort())
})
