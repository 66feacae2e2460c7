import { expect, test } from 'vitest'
import { PipelineDraft, type RunSpec } from '#shared/domain/run.ts'
import { emptyState } from '#shared/journal/empty.ts'
import { fakeSpec } from '../../testing/fake-spec.ts'
import { costOf } from './cost.ts'

const spec = (cost: { ratePerHour: number; currency: string } | null): RunSpec => ({
  ...fakeSpec,
  trainer: {
    ...fakeSpec.trainer,
    ...PipelineDraft.parse({ backend: 'stand_in', stages: [{ stage: 'grpo' }], cost }),
    kind: 'pipeline',
  },
})

test('the meter runs from the start to the end, says what idled, and is silent without a rate', () => {
  const state = { ...emptyState(), startedAt: '2026-11-29T10:00:00.000Z' }
  const at = Date.parse('2026-11-29T11:30:00.000Z')
  const rate = spec({ ratePerHour: 3.6, currency: 'EUR' })
  const idle = {
    at: '2026-11-29T10:20:00.000Z',
    code: 'gpu_idle',
    level: 'warning' as const,
    text: 'Every device has idled for 10 minutes, 0.60 EUR.',
  }
  expect([
    costOf(state, rate, at),
    costOf({ ...state, phase: 'finished', lastAt: '2026-11-29T10:30:00.000Z', alerts: [idle] }, rate, at),
    costOf(state, spec(null), at),
    costOf({ ...state, startedAt: null }, rate, at),
    costOf(state, fakeSpec, at),
  ]).toEqual([
    { text: '5.40 EUR for 1.5 h at 3.6 EUR an hour', idle: null },
    { text: '1.80 EUR for 30 min at 3.6 EUR an hour', idle: idle.text },
    null,
    null,
    null,
  ])
})
