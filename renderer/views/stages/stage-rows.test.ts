import { expect, test } from 'vitest'
import { PipelineDraft, type RunSpec } from '#shared/domain/run.ts'
import { emptyState } from '#shared/journal/empty.ts'
import { fakeSpec } from '../../testing/fake-spec.ts'
import { stageRows } from './stage-rows.ts'

const { paceMs, shaping, seed, updates, groupSize, groupsPerStep, learningRate, evalDraws } = fakeSpec.trainer
const common = { paceMs, shaping, seed, updates, groupSize, groupsPerStep, learningRate, evalDraws }
const stages = ['baseline', 'grpo', 'recovery', 'final_eval'].map((stage) => ({ stage, data: '/d.jsonl' }))
const spec: RunSpec = {
  ...fakeSpec,
  trainer: { kind: 'pipeline', ...common, ...PipelineDraft.parse({ backend: 'stand_in', stages }) },
}
const at = (second: number) => `2026-11-29T10:00:0${second}.000Z`

test('a gate that fails says why at its stage, what was not reached says so, and a partial evaluation is called one', () => {
  const done = (stage: string, from: number, outcome: 'completed' | 'failed' = 'completed') => ({
    stage,
    startedAt: at(from),
    finishedAt: at(from + 1),
    outcome,
  })
  const state = {
    ...emptyState(),
    step: 24,
    planned: 24,
    outcome: 'failed' as const,
    phase: 'finished' as const,
    stages: [done('baseline', 0), done('grpo', 2), done('recovery', 4, 'failed')],
    evals: [{ policy: 'baseline', planned: 128, drawn: 100, passed: 5, byStatus: {}, finished: true }],
    alerts: [
      { at: at(1), code: 'other', level: 'error' as const, text: 'of another stage' },
      { at: at(5), code: 'first_loss_jump', level: 'error' as const, text: 'The first loss is 14.50.' },
    ],
  }
  expect(stageRows(state, spec).map(({ label, state: said, says }) => [label, said, says])).toEqual([
    ['Baseline evaluation', 'completed', '5 of 100 draws pass the run’s suite, partial: 128 were planned'],
    ['GRPO', 'completed', '24 of 24 updates'],
    ['Recovery SFT', 'failed', 'The first loss is 14.50.'],
    ['Final evaluation', 'not reached', ''],
  ])
})

test('the embedded trainer has its three stages, the one it is in marked, also while it is blocked', () => {
  const state = {
    ...emptyState(),
    phase: 'blocked' as const,
    stages: [{ stage: 'baseline', startedAt: at(0), finishedAt: null, outcome: null }],
  }
  expect(stageRows(state, fakeSpec).map(({ name, state: said }) => [name, said])).toEqual([
    ['baseline', 'blocked'],
    ['grpo', 'waiting'],
    ['final_eval', 'waiting'],
  ])
})
