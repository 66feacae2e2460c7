import { expect, test } from 'vitest'
import { AppError } from '#shared/base/errors.ts'
import { fakeOptions } from '../../testing/fake-launch.ts'
import { draftFaults, namedFault } from './draft-rules.ts'

const { defaults } = fakeOptions

test('the defaults have no fault, and every fault is found at its field', () => {
  expect(draftFaults(defaults)).toEqual({})
  expect(draftFaults({ ...defaults, seed: 0, updates: 0, groupSize: 2, evalDraws: 0, paceMs: 0 })).toEqual({})
  expect(
    draftFaults({
      ...defaults,
      name: '  ',
      audit: defaults.suite,
      seed: -1,
      updates: 2.5,
      groupSize: 1,
      learningRate: 0,
      paceMs: Number.NaN,
      shaping: { format: 1.5 },
      overrides: [{ check: 'controls', reason: 'because' }],
    }),
  ).toEqual({
    name: 'a run needs a name',
    audit: 'must be another suite than the one trained on',
    seed: 'must be 0 or more',
    updates: 'must be whole',
    groupSize: 'must be 2 or more',
    learningRate: 'must be above 0',
    paceMs: 'is no number',
    shaping: 'must be from 0 to 1',
    overrides: 'a reason has 8 characters or more',
  })
})

test('an error of the core goes to the field that it names, and to none otherwise', () => {
  const named = (message: string) => namedFault(new AppError('bad_spec', message).info, defaults)
  expect([
    named('seed: must be 0 or more.'),
    named('overrides.0.reason: a reason of at least 8 characters.'),
    named('elsewhere: it broke.'),
    named('The disk is full.'),
  ]).toEqual([
    { field: 'seed', text: 'must be 0 or more.' },
    { field: 'overrides', text: 'a reason of at least 8 characters.' },
    null,
    null,
  ])
})
