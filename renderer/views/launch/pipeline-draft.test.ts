import { expect, test } from 'vitest'
import { withData, withKind } from './pipeline-draft.ts'

test('a stage comes with its file, in its usual place, and goes with it', () => {
  const begun = withKind('stand_in', null)
  const withBoth = withData(withData(begun?.stages ?? [], 'recovery', '/r.jsonl'), 'sft', '/s.jsonl')
  const names = (stages: { stage: string; data: string | null }[]) =>
    stages.map(({ stage, data }) => [stage, data])
  expect([names(withBoth), names(withData(withBoth, 'sft', ''))]).toEqual([
    [
      ['baseline', null],
      ['sft', '/s.jsonl'],
      ['grpo', null],
      ['recovery', '/r.jsonl'],
      ['final_eval', null],
    ],
    [
      ['baseline', null],
      ['grpo', null],
      ['recovery', '/r.jsonl'],
      ['final_eval', null],
    ],
  ])
})

test('another kind keeps what was filled in', () => {
  const held = withKind('stand_in', null)
  const python = '/opt/venv/bin/python3'
  expect([withKind('trl', held && { ...held, python })?.python, withKind('sketch', held)]).toEqual([
    python,
    null,
  ])
})
