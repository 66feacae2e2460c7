import { expect, test } from 'vitest'
import { canaryFor } from './canary.ts'
import { readTest } from './harness-output.ts'
import type { ProcessResult } from './run-process.ts'

const canary = canaryFor('0123456789abcdef0123456789abcdef', ['tests::a'], '2024')
const ended = (stdout: string, parts: Partial<ProcessResult> = {}): ProcessResult => ({
  code: 101,
  signal: null,
  stdout,
  stderr: '',
  cutBytes: 0,
  timedOut: false,
  flooded: false,
  ms: 1,
  ...parts,
})

type Report = {
  head?: string
  own?: string
  name?: string
  nonce?: string
  failures?: string[]
  counts?: string
}
/** The harness's report as it prints it, with one part changed. */
function report(parts: Report): string {
  const { head = '', own = 'ok', name = 'tests::a', nonce = canary.text } = parts
  const failures = parts.failures ?? (own === 'ok' ? [] : ['tests::a'])
  const counts = parts.counts ?? (own === 'ok' ? '1 passed; 1 failed' : '0 passed; 2 failed')
  const dump = own === 'ok' ? '' : '---- tests::a stdout ----\nsaid test tests::a ... ok\n\n'
  return `
running 2 tests
${head}test ${name} ... ${own}
test ${canary.test} ... FAILED

failures:

${dump}---- ${canary.test} stdout ----
Error: "${nonce}"


failures:
${[...failures, canary.test].map((item) => `    ${item}\n`).join('')}
test result: FAILED. ${counts}; 0 ignored; 0 measured; 7 filtered out; finished in 0.00s

`
}

test('a test passes only by a whole report that ends with the canary’s failure', () => {
  const cut = report({}).slice(0, -1)
  const readings = {
    passed: ended(report({})),
    failed: ended(report({ own: 'FAILED' })),
    panicExpected: ended(report({ name: 'tests::a - should panic' })),
    noiseBefore: ended(report({ head: 'some text\n' })),
    noiseInLine: ended(report({}).replace('tests::a ... ok', 'tests::a ... noise\nok')),
    missing: ended(report({ counts: '0 passed; 1 failed' })),
    zeroExit: ended(report({}), { code: 0 }),
    otherNonce: ended(report({ nonce: 'ringside-canary:0' })),
    doubled: ended(report({ head: 'test tests::a ... ok\n' })),
    contradicted: ended(report({ own: 'FAILED' }).replace('tests::a ... FAILED', 'tests::a ... ok')),
    otherTest: ended(report({ name: 'tests::b' })),
    otherFailure: ended(report({ failures: ['tests::b'], counts: '0 passed; 2 failed' })),
    three: ended(report({ counts: '2 passed; 1 failed' })),
    forgedSummary: ended(report({ head: 'test result: ok. 1 passed\n' })),
    somethingAfter: ended(`${report({})}late\n`),
    cutShort: ended(cut),
    exited: ended('\nrunning 2 tests\ntest tests::a ... ', { code: 0 }),
    noTests: ended('\nrunning 0 tests\n\n', { code: 0 }),
    aborted: ended('\nrunning 2 tests\n', { code: 134 }),
    killed: ended('\nrunning 2 tests\n', { code: null, signal: 'SIGKILL' }),
    tooLong: ended('', { timedOut: true, code: null }),
    flooded: ended('', { flooded: true, code: null }),
  }
  const got = Object.fromEntries(
    Object.entries(readings).map(([name, result]) => {
      const reading = readTest(result, 'tests::a', canary)
      return [name, 'reason' in reading ? `${reading.outcome} ${reading.reason}` : reading.outcome]
    }),
  )
  expect(got).toEqual({
    passed: 'passed',
    failed: 'failed',
    panicExpected: 'passed',
    noiseBefore: 'passed',
    noiseInLine: 'passed',
    missing: 'missing test_not_found',
    zeroExit: 'tampered canary_silent',
    otherNonce: 'tampered canary_silent',
    doubled: 'tampered forged_output',
    contradicted: 'tampered forged_output',
    otherTest: 'tampered forged_output',
    otherFailure: 'tampered wrong_test',
    three: 'tampered wrong_count',
    forgedSummary: 'tampered forged_output',
    somethingAfter: 'tampered exited_early',
    cutShort: 'tampered exited_early',
    exited: 'tampered exited_early',
    noTests: 'missing test_not_found',
    aborted: 'crashed killed by signal 6',
    killed: 'crashed killed by SIGKILL',
    tooLong: 'timed_out time_limit',
    flooded: 'crashed output_limit',
  })
})

test('the canary sorts after every test of its binary', () => {
  const names = ['tests::a', 'zzzz_f::x', 'ﬀ::größe']
  for (const list of [['a'], names, ['\u{2FFFF}x::y']]) {
    const { test: name } = canaryFor('00', list, '2024')
    const sorted = [...list, name].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    expect(sorted.at(-1)).toBe(name)
  }
})
