import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { Evidence } from '#shared/domain/verifier.ts'
import { findBubblewrap } from '../../sandbox/bubblewrap.ts'
import { startVerifier } from '../../testing/start-verifier.ts'
import { changedSuite, demoRepository, referenceOf, tempFolder } from './testing.ts'

const removals: (() => void)[] = []
const kept = <T extends { remove: () => void }>(made: T): T => {
  removals.push(made.remove)
  return made
}
afterEach(() => {
  for (const remove of removals.splice(0)) remove()
})

const only = (...ids: string[]) =>
  kept(changedSuite((tasks) => tasks.filter((task) => ids.includes(task.id)))).suite
const right = referenceOf('late-fee')
const item = (id: string, body: string, task = 'late-fee') => ({ id, task, body })

const evidenceIn = (data: string) =>
  readdirSync(join(data, 'evidence'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /[0-9a-f]{64}$/.test(name))
    .map((name) => Evidence.parse(JSON.parse(readFileSync(join(data, 'evidence', name), 'utf8'))))

/** Reads a reply up to `count` lines, or its end, or until it is cut. */
async function readLines(reply: Response, count: number): Promise<string[]> {
  let text = ''
  try {
    for await (const chunk of reply.body ?? []) {
      text += Buffer.from(chunk).toString('utf8')
      if (text.split('\n').length > count) break
    }
  } catch {
    // The connection is cut with the process; what came before counts.
  }
  return text.split('\n').slice(0, -1)
}

test('killed ten times in a batch of sixty, every id has one grade and every body one execution', {
  timeout: 900_000,
}, async () => {
  const suite = only('late-fee')
  const data = kept(tempFolder()).path
  const items = Array.from({ length: 60 }, (_, n) =>
    item(`i-${n}`, n % 3 === 0 ? `{ let _ = (amount, days); ${n} }` : `{ let _n = ${n}; ${right} }`),
  )
  const expected = items.map((_, n) => (n % 3 === 0 ? 'test_failed' : 'passed'))
  const seen = new Map<string, string>()
  let seed = 11
  for (let round = 0; round < 10; round += 1) {
    const verifier = await startVerifier(suite, data, { flags: ['--workers', '2'] })
    const body = JSON.stringify({ run: 'killed', items })
    const reply = await fetch(`${verifier.url}/v1/grade`, { method: 'POST', body })
    seed = (seed * 1103515245 + 12345) % 2 ** 31
    const lines = await readLines(reply, seen.size + (seed % 6))
    await verifier.stop('SIGKILL')
    for (const line of lines) {
      const { id, evidenceSha256 } = JSON.parse(line)
      expect(seen.get(id) ?? evidenceSha256).toBe(evidenceSha256)
      seen.set(id, evidenceSha256)
    }
  }
  const verifier = await startVerifier(suite, data, { flags: ['--workers', '2'] })
  const grades = await verifier.grade('killed', items)
  await verifier.stop()
  const evidence = evidenceIn(data)
  for (const [id, sha256] of seen) expect(grades.get(id)?.evidenceSha256).toBe(sha256)
  expect({
    statuses: items.map(({ id }) => grades.get(id)?.status),
    bodies: new Set(evidence.map((one) => one.body)).size,
    executions: new Set(evidence.map((one) => one.execution?.id)).size,
    pieces: evidence.length,
  }).toEqual({ statuses: expected, bodies: 60, executions: 60, pieces: 60 })
})

test('whatever is sent gets its status or a clear refusal, and the service goes on', {
  timeout: 600_000,
}, async () => {
  const { suite } = kept(
    changedSuite((tasks) =>
      tasks
        .filter((task) => ['late-fee', 'parse-money', 'wrap-lines'].includes(task.id))
        .map((task) => (task.id === 'parse-money' ? withTest(task, 'money::tests::nowhere') : task)),
    ),
  )
  const { repo, commit } = kept(
    demoRepository((folder) =>
      appendFileSync(`${folder}/textkit/src/lib.rs`, 'pub fn broken() -> u8 { "x" }\n'),
    ),
  )
  const flags = ['--repo', repo, '--commit', commit, '--workers', '1']
  const verifier = await startVerifier(suite, kept(tempFolder()).path, { flags })
  const post = async (body: string | Buffer<ArrayBuffer>) => {
    const reply = await verifier.json('/v1/grade', { method: 'POST', body })
    const health = await verifier.json('/v1/health')
    return [reply.status, (reply.body as { code?: string }).code, (health.body as { ready: boolean }).ready]
  }
  const oneItem = (body: string, task?: string) =>
    JSON.stringify({ run: 'odd', items: [item('x', body, task)] })
  const grades = await verifier.grade('odd', [
    item('right', right),
    item('missing test', referenceOf('parse-money'), 'parse-money'),
    item('broken crate', referenceOf('wrap-lines'), 'wrap-lines'),
    item('half a pair', '{ "\ud800"; 0 }'),
    item('nothing', ''),
    item('noise', '\u0000\u0001 }{ \u{1F980}'),
  ])
  const refusals = {
    unknownTask: await post(oneItem('{}', 'nowhere')),
    mebibyte: await post(oneItem(`{ ${'x'.repeat(1024 * 1024)} }`)),
    notUnicode: await post(
      Buffer.concat([
        Buffer.from('{"run":"odd","items":[{"id":"y","task":"late-fee","body":"'),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('"}]}'),
      ]),
    ),
  }
  const after = await verifier.grade('odd', [item('again', `{ let _after = 1; ${right} }`)])
  await verifier.stop()
  const wrongCommit = await startVerifier(suite, kept(tempFolder()).path, {
    flags: ['--repo', repo, '--commit', 'e'.repeat(40)],
  }).catch((failure: Error) => failure.message)
  const said = Object.fromEntries(
    [...grades].map(([id, { status, reward, reason }]) => [id, [status, reward, reason]]),
  )
  expect({ said, refusals, after: after.get('again')?.status }).toEqual({
    said: {
      right: ['passed', 1, null],
      'missing test': ['no_test_ran', null, 'test_not_found'],
      'broken crate': ['unresolved', null, 'reference_does_not_build'],
      'half a pair': ['build_failed', 0, 'not_utf8'],
      nothing: ['build_failed', 0, 'compile_error'],
      noise: ['build_failed', 0, 'not_one_block'],
    },
    refusals: {
      unknownTask: [404, 'unknown_task', true],
      mebibyte: [413, 'too_large', true],
      notUnicode: [400, 'bad_input', true],
    },
    after: 'passed',
  })
  expect(wrongCommit).toMatch(/^The commit e{40} of .* cannot be checked out: .*\n$/)
})

const withTest = <T extends { tests: { name: string; target: { kind: string; name: string } }[] }>(
  task: T,
  name: string,
): T => ({
  ...task,
  tests: [...task.tests, { name, target: { kind: 'lib', name: 'ledger' } }],
})

test.skipIf('missing' in (await findBubblewrap()))(
  'a full disk is silence about the body, and passes with it (needs bubblewrap for a small disk)',
  { timeout: 600_000 },
  async () => {
    const data = kept(tempFolder()).path
    const signs = kept(tempFolder()).path
    const ballast = `(while [ ! -e ${signs}/fill ]; do sleep 0.1; done; head -c 900000000 /dev/zero > ${data}/ballast; : > ${signs}/full
      while [ ! -e ${signs}/empty ]; do sleep 0.1; done; rm ${data}/ballast; : > ${signs}/emptied) 2>/dev/null & exec "$@"`
    const wrap = [
      'bwrap',
      '--dev-bind',
      '/',
      '/',
      '--size',
      '700000000',
      '--tmpfs',
      data,
      'sh',
      '-c',
      ballast,
      'sh',
    ]
    const verifier = await startVerifier(only('late-fee'), data, { wrap, flags: ['--workers', '1'] })
    const sign = async (made: string, awaited: string) => {
      writeFileSync(`${signs}/${made}`, '')
      while (!readdirSync(signs).includes(awaited)) await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const before = await verifier.grade('disk', [item('before', right)])
    await sign('fill', 'full')
    const during = await verifier.grade('disk', [item('during', `{ let _n = 1; ${right} }`)])
    await sign('empty', 'emptied')
    const after = await verifier.grade('disk', [item('during', `{ let _n = 1; ${right} }`)])
    const health = await verifier.json('/v1/health')
    await verifier.stop()
    rmSync(`${signs}/fill`)
    const said = [before.get('before'), during.get('during'), after.get('during')].map((grade) => [
      grade?.status,
      grade?.reward,
    ])
    expect([...said, (health.body as { ready: boolean }).ready]).toEqual([
      ['passed', 1],
      ['unresolved', null],
      ['passed', 1],
      true,
    ])
  },
)
