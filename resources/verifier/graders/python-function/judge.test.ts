import { expect, test } from 'vitest'
import { defaultLimits } from './default-limits.ts'
import { type Ended, judge } from './judge.ts'

const nonce = Buffer.from('0123456789abcdef')
const frame = (text: string, by = nonce) => Buffer.concat([Buffer.from('a'), by, Buffer.from(text)])
const ended = (over: Partial<Ended>): Ended => ({
  exit: 0,
  wallMs: 1,
  cpuMs: 0,
  killed: null,
  result: frame('value - 1 0\n2'),
  output: Buffer.alloc(0),
  cutBytes: 0,
  ...over,
})
const told = (over: Partial<Ended>) => {
  const { outcome, reason, value, detail } = judge(ended(over), nonce, defaultLimits)
  return [outcome, reason, value, detail]
}
const forged = ['tampered', 'forged_result', '', 'bytes on the result channel that the grader did not write']

test('only a whole frame with this input’s nonce, and nothing beside it, is a result', () => {
  expect(told({})).toEqual(['value', '', '2', ''])
  expect(told({ result: frame('failed raised 0 9\nOops: \u00e9 ') })).toEqual([
    'failed',
    'raised',
    '',
    'Oops: é ',
  ])
  const wrong = [
    frame('value - 1 0\n2', Buffer.from('0123456789abcdeF')),
    frame('value - 1 0\n'),
    frame('value - 1 0\n22'),
    frame('value - 1 0'),
    frame('value - -1 1\n'),
    frame('value - 1\n2'),
    frame('value - one 0\n2'),
    frame('fault child_did_not_start 0 0\n'),
    frame('timed_out wall_limit 0 0\n'),
    frame(''),
    Buffer.from('a2'),
  ]
  expect(wrong.map((result) => told({ result }))).toEqual(wrong.map(() => forged))
})

test('a finding counts whatever follows it; a value that came too late is none, and no forgery', () => {
  const found = frame('tampered reached_outside 0 4\n/etcvalue - 1 0\n2')
  expect(told({ result: found, killed: 'output_limit' })).toEqual(['tampered', 'reached_outside', '', '/etc'])
  expect(told({ killed: 'output_limit' })).toEqual(['crashed', 'output_limit', '', ''])
  expect(told({ killed: 'wall_limit' })).toEqual(['timed_out', 'wall_limit', '', ''])
  expect(told({ killed: 'wall_limit', result: frame('value - 1 0\n22') })).toEqual(forged)
})

test('an end without a result is told by how it came', () => {
  const began = Buffer.from('a')
  expect(told({ result: Buffer.alloc(0), exit: 1 })).toEqual(['fault', 'child_did_not_start', '', 'exit 1'])
  expect(told({ result: began, exit: 3 })).toEqual([
    'tampered',
    'early_exit',
    '',
    'exit code 3 without a result',
  ])
  expect(told({ result: began, exit: -11 })).toEqual(['crashed', 'signal', '', 'signal 11'])
  expect(told({ result: began, exit: -24 })).toEqual(['timed_out', 'cpu_limit', '', ''])
  // The hard limit kills; so does a program itself, which has used up little then.
  expect(told({ result: began, exit: -9, cpuMs: 2_000 })).toEqual(['timed_out', 'cpu_limit', '', ''])
  expect(told({ result: began, exit: -9, cpuMs: 10 })).toEqual(['crashed', 'signal', '', 'signal 9'])
  expect(told({ result: began, exit: -9, killed: 'wall_limit' })).toEqual(['timed_out', 'wall_limit', '', ''])
  expect(told({ result: began, exit: -9, killed: 'output_limit' })).toEqual([
    'crashed',
    'output_limit',
    '',
    '',
  ])
})
