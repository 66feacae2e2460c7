import { expect, test } from 'vitest'
import {
  formatBytes,
  formatDuration,
  formatNumber,
  formatReward,
  formatShare,
  formatSigned,
} from './format.ts'

test('durations keep two digits at the most and change unit before they mislead', () => {
  expect(
    [12, 99, 100, 9_940, 14_400, 99_400, 360_000, 2 * 3_600_000, 3 * 86_400_000, null].map(formatDuration),
  ).toEqual(['12 ms', '99 ms', '0.1 s', '9.9 s', '14 s', '99 s', '6 min', '2.0 h', '3 d', '–'])
})

test('a share is 0 or 100 only where it is exactly that, and unknown without a denominator', () => {
  expect([
    formatShare(0, 9),
    formatShare(1, 900),
    formatShare(899, 900),
    formatShare(9, 9),
    formatShare(0, 0),
  ]).toEqual(['0 %', '<1 %', '>99 %', '100 %', '–'])
})

test('unknown numbers never read as zero', () => {
  expect([formatNumber(null), formatReward(null), formatSigned(null), formatBytes(null)]).toEqual([
    '–',
    'null',
    '–',
    '–',
  ])
  expect([0, 0.5, 0.00012, 1234.5, 250_000].map((value) => formatNumber(value))).toEqual([
    '0',
    '0.5',
    '1.2e-4',
    '1,235',
    '2.5e+5',
  ])
  expect([0, 1023, 1024, 1.5 * 1024 ** 2, 95.6 * 1024 ** 3].map(formatBytes)).toEqual([
    '0 B',
    '1023 B',
    '1 KiB',
    '1.5 MiB',
    '95.6 GiB',
  ])
})
