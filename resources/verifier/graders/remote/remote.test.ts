import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { GradeLine } from '#shared/domain/grade.ts'
import type { GradeItem, VerifierHealth } from '#shared/domain/verifier.ts'
import { type StartedVerifier, startVerifier } from '../../testing/start-verifier.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import { writeSuite } from '../../testing/write-suite.ts'
import { orderFor } from './order.ts'

const run = 'r-20261129-aaaaaa'
const waiting = (ms: number, what: number) =>
  `import time\n\ndef double(value):\n    time.sleep(${ms / 1000})\n    return value * 2 + ${what} * 0\n`
const task = {
  id: 'double',
  function: 'double',
  reference: 'def double(value):\n    return value * 2\n',
  cases: [['[3]', '6']] as [string, string][],
}

const items = (count: number, ms: number): GradeItem[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `${run}/0/0/${index}`,
    task: 'double',
    body: waiting(ms, index),
  }))

async function bench() {
  const folder = tempFolder()
  onTestFinished(() => folder.dispose())
  const suite = join(folder.path, 'suite')
  writeSuite(suite, [task])
  const started: StartedVerifier[] = []
  onTestFinished(async () => {
    for (const one of started) await one.stop()
  })
  const start = async (name: string, flags: string[] = [], of = suite) => {
    const verifier = await startVerifier(of, join(folder.path, name), { flags: ['--workers', '2', ...flags] })
    started.push(verifier)
    return verifier
  }
  const file = join(folder.path, 'backends.json')
  const say = (backends: { id: string; uid: string; url: string }[], note: string | null = null) => {
    const text = JSON.stringify({ backends: backends.map((one) => ({ ...one, token: null })), note })
    writeFileSync(`${file}.tmp`, text)
    renameSync(`${file}.tmp`, file)
  }
  const router = () => start('router', ['--backends', file, '--for', run, '--workers', '6'])
  return { folder: folder.path, suite, start, say, router }
}

const healthOf = async (verifier: StartedVerifier) =>
  (await verifier.json('/v1/health')).body as VerifierHealth

async function until(look: () => Promise<boolean>): Promise<void> {
  while (!(await look())) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** Grades, telling of every line as it comes. */
async function grade(url: string, asked: GradeItem[], onLine: (line: GradeLine) => void): Promise<void> {
  const reply = await fetch(`${url}/v1/grade`, {
    method: 'POST',
    body: JSON.stringify({ run, items: asked }),
  })
  let text = ''
  for await (const chunk of reply.body ?? []) {
    text += new TextDecoder().decode(chunk)
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) onLine(JSON.parse(line))
  }
}

test('a body keeps its place while that is there, and only those of a lost one move', () => {
  const bodies = Array.from({ length: 300 }, (_, index) => `body-${index}`)
  const first = (ids: string[]) => bodies.map((body) => orderFor(body, ids)[0])
  const three = first(['a', 'b', 'c'])
  const two = first(['c', 'a'])
  expect(three.map((id, index) => id === 'b' || id === two[index])).toEqual(bodies.map(() => true))
  expect(
    ['a', 'b', 'c'].map((id) => three.filter((one) => one === id).length).every((count) => count > 70),
  ).toBe(true)
})

test('one of three replicas is killed mid-batch: every id has one grade, and nothing finished is executed again', async () => {
  const { start, say, router } = await bench()
  const replicas = [await start('a'), await start('b'), await start('c')]
  say(replicas.map(({ url }, index) => ({ id: `pod-${index}`, uid: `u${index}`, url })))
  const front = await router()
  const asked = items(24, 250)
  const lines: GradeLine[] = []
  await grade(front.url, asked, (line) => {
    lines.push(line)
    if (lines.length === 4) void replicas[1]?.stop('SIGKILL')
  })
  const again = await front.grade(run, asked)
  const saved = (await (await fetch(`${front.url}/v1/grades?run=${run}`)).text()).trimEnd().split('\n')
  const health = await healthOf(front)
  const [first, , third] = await Promise.all(
    replicas.map((one, index) => (index === 1 ? null : healthOf(one))),
  )
  const ids = asked.map((item) => item.id).sort()
  expect({
    lines: lines.map((line) => line.id).sort(),
    statuses: [...new Set(lines.map((line) => line.status))],
    saved: saved.map((line) => (JSON.parse(line) as GradeLine).id).sort(),
    again: [...again.values()].map((line) => line.cache),
    executed: health.executed,
    usable: health.replicas?.map((replica) => [replica.id, replica.usable]),
    spread: [first, third].map((one) => (one?.executed ?? 0) > 0),
  }).toEqual({
    lines: ids,
    statuses: ['passed'],
    saved: ids,
    again: asked.map(() => 'replayed'),
    executed: 24,
    usable: [
      ['pod-0', true],
      ['pod-1', false],
      ['pod-2', true],
    ],
    spread: [true, true],
  })
  // Each execution is one replica's: the living ones did what the lost one had not finished, and nothing twice.
  const lost = health.replicas?.find((replica) => replica.id === 'pod-1')?.graded ?? 0
  expect((first?.executed ?? 0) + (third?.executed ?? 0) + lost).toBe(24)
})

test('a replica of another suite or commit is not used, and what waits for it has no number', async () => {
  const { folder, start, say, router } = await bench()
  const other = join(folder, 'other')
  writeSuite(other, [{ ...task, cases: [['[4]', '8']] }])
  const stranger = await start('stranger', [], other)
  say([{ id: 'pod-0', uid: 'u0', url: stranger.url }])
  const front = await router()
  const [line] = [...(await front.grade(run, items(1, 0))).values()]
  const health = await healthOf(front)
  expect({
    ready: health.ready,
    why: health.notReady?.replaceAll(/[0-9a-f]{12}/g, 'HASH'),
    drifted: health.replicas?.map((replica) => replica.drifted),
    line: [line?.status, line?.reward, line?.reason],
  }).toEqual({
    ready: false,
    why: 'pod-0: it grades suite small 1 (HASH), not the run’s (HASH)',
    drifted: [true],
    line: ['unresolved', null, 'unreachable'],
  })
  // The right one in its place: the same id, which was never graded, is graded now.
  const right = await start('right')
  say([{ id: 'pod-0', uid: 'u1', url: right.url }])
  await until(async () => (await healthOf(front)).ready)
  const [graded] = [...(await front.grade(run, items(1, 0))).values()]
  expect([graded?.status, graded?.reward, graded?.verifier]).toEqual([
    'passed',
    1,
    'ringside-verifier 0.1.0 python-function 1',
  ])
})
