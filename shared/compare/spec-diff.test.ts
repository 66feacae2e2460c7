import { expect, test } from 'vitest'
import { specDifferences } from './spec-diff.ts'

test('what differs is named by its path, the trainer first; what is alike or only a name is left out', () => {
  const spec = (seed: number, suite: string, extra: object = {}) => ({
    run: `r-${seed}`,
    name: `n ${seed}`,
    suite: { name: suite, version: '1' },
    trainer: { seed, clip: 0.2, shaping: {}, ...extra },
  })
  expect(specDifferences([spec(1, 'weak'), spec(2, 'audit', { shaping: { format: 0.1 } }), null])).toEqual([
    { path: 'trainer.clip', values: ['0.2', '0.2', null] },
    { path: 'trainer.seed', values: ['1', '2', null] },
    { path: 'trainer.shaping.format', values: [null, '0.1', null] },
    { path: 'suite.name', values: ['"weak"', '"audit"', null] },
    { path: 'suite.version', values: ['"1"', '"1"', null] },
  ])
  expect(specDifferences([spec(1, 'weak'), spec(1, 'weak')])).toEqual([])
})
