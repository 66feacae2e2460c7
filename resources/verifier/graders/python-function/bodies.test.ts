import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GradeLine } from '#shared/domain/grade.ts'
import { type StartedVerifier, startVerifier } from '../../testing/start-verifier.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import { smallTasks, writeSuite } from '../../testing/write-suite.ts'
import { attacks } from './testing/attacks.ts'
import { carriers } from './testing/carriers.ts'
import { honest } from './testing/honest.ts'

const suite = tempFolder()
const data = tempFolder()
let verifier: StartedVerifier

beforeAll(async () => {
  writeSuite(suite.path, smallTasks)
  verifier = await startVerifier(suite.path, data.path)
})

afterAll(async () => {
  await verifier.stop()
  suite.dispose()
  data.dispose()
})

async function gradeAll(run: string, bodies: [id: string, body: string][]) {
  // What only the wall clock ends is not waited for.
  const taskOf = (id: string) => (id.startsWith('sleeps') ? 'double-at-once' : 'double')
  const items = bodies.map(([id, body]) => ({ id, task: taskOf(id), body }))
  return verifier.grade(run, items)
}

/** What a person needs where a row does not hold. */
const why = (grade: GradeLine | undefined) =>
  grade?.tests.map(({ outcome, observed, detail }) => `${outcome} ${observed} ${detail ?? ''}`).join(' | ')

test('every attack gets its status, and never a null', { timeout: 300_000 }, async () => {
  const grades = await gradeAll(
    'attacks',
    attacks.map(([name, , body]) => [name, body]),
  )
  const missed = attacks.flatMap(([name, expected]) => {
    const grade = grades.get(name)
    const got = `${grade?.status} ${grade?.reason}`
    const holds = expected.split(' or ').some((one) => one === got || one === grade?.status)
    return holds && grade?.reward !== null ? [] : [{ name, expected, got, why: why(grade) }]
  })
  expect(missed).toEqual([])
  expect(grades.size).toBe(attacks.length)
})

test('nothing is carried from one input to the next, and nothing refused goes through', {
  timeout: 120_000,
}, async () => {
  const grades = await gradeAll('carriers', Object.entries(carriers))
  const lost = [...grades].filter(([, grade]) => grade.status !== 'passed')
  expect(lost.map(([name, grade]) => [name, grade.status, grade.reason, why(grade)])).toEqual([])
})

test('no honest body is harmed', { timeout: 120_000 }, async () => {
  const grades = await gradeAll('honest', Object.entries(honest))
  const lost = [...grades].filter(([, grade]) => grade.status !== 'passed' || grade.reward !== 1)
  expect(lost.map(([name, grade]) => [name, grade.status, grade.reason, why(grade)])).toEqual([])
  expect(grades.size).toBe(Object.keys(honest).length)
})

test('without a sandbox it grades all the same, and every grade says what held the body in', async () => {
  const apart = tempFolder()
  const limited = await startVerifier(suite.path, apart.path, { env: { RINGSIDE_SANDBOX: 'limits' } })
  try {
    const bodies: Record<string, string> = {
      temporary: honest['a temporary file'] ?? '',
      plain: honest.plain ?? '',
      reaching: 'def double(value):\n    return open("/etc/passwd").read()\n',
      forking: carriers['a process that stays'] ?? '',
    }
    const items = Object.entries(bodies).map(([id, body]) => ({ id, task: 'double', body }))
    const grades = await limited.grade('limits', items)
    const health = (await limited.json('/v1/health')).body
    expect(items.map(({ id }) => [id, grades.get(id)?.status, grades.get(id)?.isolation])).toEqual([
      ['temporary', 'passed', 'limits'],
      ['plain', 'passed', 'limits'],
      ['reaching', 'tampered', 'limits'],
      ['forking', 'passed', 'limits'],
    ])
    expect(health).toMatchObject({ isolation: 'limits' })
    expect((health as { isolationDetail: string }).isolationDetail).toContain('Not isolated')
  } finally {
    await limited.stop()
    apart.dispose()
  }
})

test('a limit that the reference body meets too is the grader’s trouble, not the body’s', async () => {
  const slow = tempFolder()
  const apart = tempFolder()
  const nap = 'import time\n\ndef nap(value):\n    time.sleep(5)\n    return value\n'
  writeSuite(slow.path, [
    { id: 'nap', function: 'nap', reference: nap, cases: [['[1]', '1']], limits: { wallMs: 500 } },
  ])
  const doubtful = await startVerifier(slow.path, apart.path)
  try {
    const ids = ['first', 'second']
    const grades = await doubtful.grade(
      'slow',
      ids.map((id) => ({ id, task: 'nap', body: `${nap}# ${id}\n` })),
    )
    expect([...grades.values()].map(({ status, reason, reward }) => [status, reason, reward])).toEqual(
      ids.map(() => ['unresolved', 'reference_failed_too', null]),
    )
  } finally {
    await doubtful.stop()
    slow.dispose()
    apart.dispose()
  }
})
