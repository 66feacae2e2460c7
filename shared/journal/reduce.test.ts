import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { silentGrade } from '../domain/grade.ts'
import { decodeLine, LineCutter } from './decode.ts'
import type { RunEvent } from './events.ts'
import { nullRewards, RunReducer } from './reduce.ts'
import { samplePrograms } from './sample-program.ts'
import { sampleEvents } from './sample-run.ts'
import type { RunState } from './state.ts'
import { PackedSteps } from './step-memory.ts'

const hash = (text: string) => createHash('sha256').update(text).digest('hex')
const utf8 = new TextDecoder()
const run = 'r-20261129-abcdef'
const sample = {
  run,
  seed: 3,
  steps: 4,
  groupsPerStep: 3,
  groupSize: 4,
  evalDraws: 5,
  tests: 4,
  programs: 9,
  silentEvery: 5,
  hash,
}
const lines = [...sampleEvents(sample)].map((event) => JSON.stringify(event))

function fold(texts: string[], into = new RunReducer()): RunState {
  for (const [index, text] of texts.entries()) into.apply(decodeLine(text), index)
  return into.state
}

const numbered = (bodies: Record<string, unknown>[]): string[] =>
  bodies.map((body, seq) => JSON.stringify({ v: 1, seq, at: '2026-11-29T12:00:00.000Z', run, ...body }))

const generated = (index: number, step = 0) => ({
  type: 'rollout.generated',
  rollout: `${run}/${step}/0/${index}`,
  step,
  group: 0,
  index,
  task: 'required-capacity',
  completionSha256: hash('x'),
  tokens: 10,
  truncated: false,
})
const grade = samplePrograms(sample)[0]?.grade ?? silentGrade('unresolved', 'none')
const graded = (index: number, reward: number | null, step = 0) => ({
  type: 'rollout.graded',
  rollout: `${run}/${step}/0/${index}`,
  grade:
    reward === null
      ? silentGrade('unreachable', 'refused')
      : { ...grade, status: reward === 1 ? 'passed' : 'test_failed', reward },
  extraction: null,
  components: { tests: reward },
  total: reward,
  advantage: null,
})

test('any chunking of the same bytes gives the same state', () => {
  const bytes = new TextEncoder().encode(`${lines.join('\n')}\n`)
  const expected = fold(lines)
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (marks) => {
      const ends = [...marks, bytes.length].sort((a, b) => a - b)
      const cutter = new LineCutter((part) => utf8.decode(part))
      const reducer = new RunReducer()
      let from = 0
      for (const end of ends) {
        for (const line of cutter.push(bytes.slice(from, end)))
          reducer.apply(decodeLine(line.text), line.offset)
        from = end
      }
      expect(reducer.state).toEqual(expected)
    }),
    { numRuns: 40 },
  )
})

test('repeated lines change nothing but the list of faults', () => {
  const { faults: none, ...expected } = fold(lines)
  fc.assert(
    fc.property(fc.array(fc.nat(lines.length - 1), { minLength: 1, maxLength: 10 }), (again) => {
      const doubled = lines.flatMap((line, index) => (again.includes(index) ? [line, line] : [line]))
      const { faults, ...state } = fold(doubled)
      expect(state).toEqual(expected)
      expect(faults.map((fault) => fault.kind)).toEqual([...new Set(again)].map(() => 'repeat'))
    }),
    { numRuns: 40 },
  )
  expect(none).toEqual([])
})

test('a reducer that goes on from a saved state ends where an uninterrupted one does', () => {
  const whole = fold(lines)
  fc.assert(
    fc.property(fc.nat(lines.length), (at) => {
      // What a restart has: the state, every step's rollouts and the draws; `close` is what hands the step in hand over.
      const memory = new PackedSteps()
      const draws = new Map()
      const first = new RunReducer({ state: structuredClone(new RunReducer().state), memory, draws })
      const saved = structuredClone(fold(lines.slice(0, at), first))
      first.keepOpenStep()
      expect(fold(lines.slice(at), new RunReducer({ state: saved, memory, draws }))).toEqual(whole)
    }),
    { numRuns: 60 },
  )
})

test('a rollout that was silent and is graded later counts once, also long after its step has closed', () => {
  const state = fold(
    numbered([
      generated(0),
      generated(1),
      graded(0, null),
      graded(1, 1),
      generated(0, 1),
      graded(0, 0.5, 1),
      graded(0, 0.5),
    ]),
  )
  expect(state.byStatus).toEqual({ passed: 1, test_failed: 2 })
  expect(state.rollouts).toBe(3)
  expect(
    state.steps.map(({ step, generated: n, byStatus, rewardMean }) => ({ step, n, byStatus, rewardMean })),
  ).toEqual([
    { step: 0, n: 2, byStatus: { passed: 1, test_failed: 1 }, rewardMean: 0.75 },
    { step: 1, n: 1, byStatus: { test_failed: 1 }, rewardMean: 0.5 },
  ])
})

test('a null reward enters no mean, no spread and no component, whatever stands beside it', () => {
  const lying = { ...graded(1, null), components: { tests: 0, format: 1 }, total: 0 }
  const state = fold(
    numbered([generated(0), generated(1), generated(2), graded(0, 1), lying, graded(2, 0.5)]),
  )
  const row = state.steps[0]
  expect([row?.rewardMean, row?.rewardStd, row?.components, nullRewards(state.byStatus)]).toEqual([
    0.75,
    Math.sqrt(0.125),
    { tests: 0.75 },
    1,
  ])
  const silent = fold(numbered([generated(0), graded(0, null)])).steps[0]
  expect([silent?.rewardMean, silent?.rewardStd, silent?.components]).toEqual([null, null, {}])
})

test('gaps, corrupt lines and lines of another run are reported with where they stand, and the rest is folded', () => {
  const [a = '', b = '', c = '', d = ''] = numbered([
    { type: 'stage.started', stage: 'grpo' },
    generated(0),
    graded(0, 1),
    { type: 'run.finished', outcome: 'completed', reason: null },
  ])
  const state = fold([
    a,
    '{torn',
    c,
    c.replaceAll(run, 'r-20261129-zzzzzz').replace('"seq":2', '"seq":3'),
    d,
    b,
  ])
  expect(state.faults).toEqual([
    { kind: 'corrupt', offset: 1, reason: 'is no JSON' },
    { kind: 'gap', offset: 2, expected: 1, got: 2 },
    { kind: 'corrupt', offset: 3, reason: 'belongs to r-20261129-zzzzzz' },
    { kind: 'repeat', offset: 5, seq: 1 },
  ])
  expect([state.phase, state.rollouts, state.byStatus]).toEqual(['finished', 1, { passed: 1 }])
})

test('a block is one block from its first report to its end, and the run goes on', () => {
  const block = { since: '2026-11-29T12:00:00.000Z', reason: 'refused' }
  const phases: string[] = []
  const reducer = new RunReducer()
  const spec = (sampleEvents(sample).next().value as RunEvent & { spec: unknown }).spec
  const events = [
    { type: 'run.started', spec, specSha256: hash(''), host: 'h', versions: {}, seed: 1 },
    { type: 'verifier.blocked', ...block, attempts: 1 },
    { type: 'verifier.blocked', ...block, attempts: 4 },
    { type: 'verifier.unblocked', ...block, attempts: 5 },
  ]
  for (const text of numbered(events)) {
    reducer.apply(decodeLine(text), 0)
    phases.push(reducer.state.phase)
  }
  expect(phases).toEqual(['running', 'blocked', 'blocked', 'running'])
  expect(reducer.state.blocks).toEqual([
    { ...block, until: '2026-11-29T12:00:00.000Z', attempts: 5, step: null },
  ])
})
