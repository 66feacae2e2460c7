import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ControlsReport, Evidence } from '#shared/domain/verifier.ts'
import { type StartedVerifier, startVerifier } from '../testing/start-verifier.ts'
import { tempFolder } from '../testing/temp-folder.ts'
import { smallTasks, writeSuite } from '../testing/write-suite.ts'

const suite = tempFolder()
const data = tempFolder()
let verifier: StartedVerifier

const right = 'def double(value):\n    return value * 2\n'
const half = 'def double(value):\n    return 2 if value == 1 else 4\n'
const item = (id: string, body: string) => ({ id, task: 'double', body })
const post = (body: unknown) => ({ method: 'POST', body: JSON.stringify(body) })

beforeAll(async () => {
  writeSuite(suite.path, smallTasks)
  verifier = await startVerifier(suite.path, data.path)
})

afterAll(async () => {
  await verifier.stop()
  suite.dispose()
  data.dispose()
})

const executed = async () => ((await verifier.json('/v1/health')).body as { executed: number }).executed

test('a grade names its evidence, and the evidence holds everything behind it', async () => {
  const grade = (await verifier.grade('one', [item('a', half)])).get('a')
  expect(grade).toMatchObject({
    status: 'test_failed',
    reward: 0.5,
    total: 4,
    passed: 2,
    cache: 'fresh',
    bodySha256: createHash('sha256').update(half).digest('hex'),
    isolation: 'sandbox',
  })
  expect(grade?.tests[2]).toMatchObject({
    name: 'case-3',
    outcome: 'failed',
    expected: '0',
    observed: '4',
  })
  const reply = await fetch(`${verifier.url}/v1/evidence/${grade?.evidenceSha256}`)
  const text = await reply.text()
  expect(createHash('sha256').update(text).digest('hex')).toBe(grade?.evidenceSha256)
  expect(Evidence.parse(JSON.parse(text))).toMatchObject({ body: half, grade: { status: 'test_failed' } })
})

test('a body is executed once: for the same id, for other ids, at the same time and later', async () => {
  const before = await executed()
  const body = `${right}# once\n`
  const items = Array.from({ length: 40 }, (_, index) => item(`s-${index}`, body))
  const together = await verifier.grade('shared', items)
  const again = await verifier.grade('shared', [item('s-0', body), item('later', body)])
  const other = await verifier.grade('another-run', [item('s-0', body)])
  const all = [...together.values(), ...again.values(), ...other.values()]
  expect(all.map(({ status }) => status)).toEqual(all.map(() => 'passed'))
  expect(all.filter(({ cache }) => cache === 'fresh')).toHaveLength(1)
  expect(new Set(all.map(({ evidenceSha256 }) => evidenceSha256)).size).toBe(1)
  expect((await executed()) - before).toBe(1)
})

test('an id keeps its body and its task', async () => {
  await verifier.grade('kept', [item('a', right)])
  const asked = [
    [item('a', half)],
    [{ ...item('a', right), task: 'double-at-once' }],
    [item('b', right), item('b', half)],
    [{ id: 'a', task: 'double', completion: 'prose' }],
  ]
  const replies = await Promise.all(
    asked.map((items) => verifier.json('/v1/grade', post({ run: 'kept', items }))),
  )
  expect(replies.map(({ status }) => status)).toEqual([409, 409, 409, 409])
  expect(replies[0]?.body).toMatchObject({ code: 'id_conflict', retryable: false })
  expect((await verifier.grade('kept', [item('a', right)])).get('a')?.cache).toBe('replayed')
})

test('a completion is extracted first, and a wrong one is an answer of its own', async () => {
  const of = (id: string, completion: string) => ({ id, task: 'double', completion })
  const grades = await verifier.grade('extracted', [
    of('body', `Here:\n\n~~~py\n${right}~~~\n`),
    of('prose', 'I would double it.'),
    of('cut', `\`\`\`python\n${right}`),
    of('rust', '```rust\nfn double() {}\n```'),
    of('long', `${'- item\n'.repeat(1500)}\n\`\`\`\n${right}\`\`\`\n`),
  ])
  const told = [...grades.values()].map(({ id, status, reason, reward, extraction }) => [
    id,
    status,
    reason,
    reward,
    extraction?.outcome,
  ])
  expect(told.sort()).toEqual([
    ['body', 'passed', null, 1, 'body'],
    ['cut', 'no_answer', 'unclosed', 0, 'unclosed'],
    ['long', 'passed', null, 1, 'body'],
    ['prose', 'no_answer', 'fence_count', 0, 'fence_count'],
    ['rust', 'no_answer', 'fence_language', 0, 'fence_language'],
  ])
})

test('saved grades come back in their order', async () => {
  await verifier.grade('saved', [item('a', right)])
  await verifier.grade('saved', [{ id: 'b', task: 'double', completion: '' }])
  const text = await (await fetch(`${verifier.url}/v1/grades?run=saved`)).text()
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ id, status }) => [id, status])).toEqual([
    ['a', 'passed'],
    ['b', 'no_answer'],
  ])
})

test('a deadline leaves what has not begun undone, and a null is never remembered', async () => {
  const nap = (index: number) =>
    `import time\ndef double(value):\n    time.sleep(0.4)  # ${index}\n    return value * 2\n`
  const items = Array.from({ length: 6 }, (_, index) => item(`n-${index}`, nap(index)))
  const reply = await fetch(`${verifier.url}/v1/grade`, post({ run: 'late', items, deadlineMs: 300 }))
  const lines = (await reply.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ status, reason, reward }) => [status, reason, reward])).toEqual(
    lines.map(() => ['unresolved', 'deadline', null]),
  )
  const later = await verifier.grade('late', items.slice(0, 3))
  expect([...later.values()].map(({ status }) => status)).toEqual(['passed', 'passed', 'passed'])
})

test('bad requests get a clear 4xx and leave it healthy', async () => {
  const grade = (value: unknown) => verifier.json('/v1/grade', post(value))
  const raw = (bytes: string | Uint8Array<ArrayBuffer>) =>
    verifier.json('/v1/grade', { method: 'POST', body: bytes })
  const replies = await Promise.all([
    raw('{"run": "x", "items": ['),
    raw(new Uint8Array([0x22, 0xff, 0xfe, 0x22])),
    grade(null),
    grade({ run: 'x', items: [] }),
    grade({ run: 'x', items: [{ id: 'a', task: 'double' }] }),
    grade({ run: 'X Y', items: [item('a', right)] }),
    grade({ run: 'x', items: [{ ...item('a', right), task: 'triple' }] }),
    grade({ run: 'x', items: [item('a', `#${'x'.repeat(256 * 1024)}`)] }),
    grade({ run: 'x', items: Array.from({ length: 4097 }, (_, index) => item(`i-${index}`, right)) }),
    verifier.json('/v1/nothing'),
    verifier.json('/v1/evidence/1234'),
    verifier.json('/v1/grades'),
    verifier.json('/v1/controls', post({ task: 'triple' })),
  ])
  expect(replies.map(({ status, body }) => [status, (body as { code: string }).code])).toEqual([
    [400, 'bad_input'],
    [400, 'bad_input'],
    [400, 'bad_input'],
    [400, 'bad_input'],
    [400, 'bad_input'],
    [400, 'bad_input'],
    [404, 'unknown_task'],
    [413, 'too_large'],
    [413, 'too_large'],
    [404, 'not_found'],
    [404, 'not_found'],
    [400, 'bad_input'],
    [404, 'unknown_task'],
  ])
  expect((await verifier.json('/v1/health')).body).toMatchObject({ ready: true, queue: 0 })
})

test('the controls of a good suite hold', async () => {
  const { body } = await verifier.json('/v1/controls', post({ task: 'double' }))
  const report = ControlsReport.parse(body)
  expect(report.controls.filter(({ holds }) => !holds)).toEqual([])
  expect(report.controls.map(({ control }) => control)).toEqual([
    'correct',
    'empty',
    'compiles_and_fails',
    'constant',
    'exits_early',
    'forges_result',
    'leaves_function',
    'never_ends',
    'floods_output',
    'reads_suite',
  ])
})

test('a second verifier on the same folder says so', async () => {
  await expect(startVerifier(suite.path, data.path)).rejects.toThrow('Another verifier works in')
})
