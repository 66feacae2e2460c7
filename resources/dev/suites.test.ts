import { expect, test } from 'vitest'
import { settle } from './suites.mjs'

test('a suite that ran nothing or broke off is a failure, whatever it counted', () => {
  expect([
    settle(0, { passed: 3, failed: 0, skipped: 1 }),
    settle(1, { passed: 3, failed: 2, skipped: 0 }),
    settle(1, { passed: 3, failed: 0, skipped: 0 }),
    settle(null, { passed: 3, failed: 0, skipped: 0 }),
    settle(0, { passed: 0, failed: 0, skipped: 5 }),
  ]).toEqual([
    { passed: 3, failed: 0, skipped: 1 },
    { passed: 3, failed: 2, skipped: 0 },
    { passed: 3, failed: 1, skipped: 0 },
    { passed: 3, failed: 1, skipped: 0 },
    { passed: 0, failed: 1, skipped: 5 },
  ])
})
