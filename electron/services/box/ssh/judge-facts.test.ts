import { expect, test } from 'vitest'
import type { BoxFacts } from './facts.ts'
import { judgeFacts } from './judge-facts.ts'

const good: BoxFacts = {
  home: '/home/me',
  system: 'Linux x86_64',
  root: false,
  node: { path: '/usr/bin/node', version: '24.1.0' },
  python: { path: '/usr/bin/python3', version: '3.11.2' },
  freeBytes: 50 * 1024 ** 3,
  fileSystem: 'ext4',
  clockMs: 1_000_000,
}
const now = 1_000_500

const said = (changes: Partial<BoxFacts>) =>
  judgeFacts({ ...good, ...changes }, now)
    .filter(({ finding }) => finding.state !== 'passed')
    .map(({ check, finding }) => `${check} ${finding.state}: ${finding.detail}`)

test('what a box lacks is said, and what it does not tell is not taken for good', () => {
  expect([
    said({}),
    said({ freeBytes: 0.1 * 1024 ** 3 }),
    said({ freeBytes: 1024 ** 3 }),
    said({ fileSystem: 'tmpfs' }),
    said({ clockMs: 1_000_000 - 7_000 }),
    said({ clockMs: 1_000_000 + 60_000 }),
    said({ node: null, python: null }),
    said({ freeBytes: null, fileSystem: null, clockMs: null }),
  ]).toEqual([
    [],
    ['box_disk failed: 0.1 GiB free'],
    ['box_disk warned: 1.0 GiB free'],
    ['box_home warned: /home/me is kept in memory (tmpfs)'],
    ['box_clock warned: 7.0 s behind this machine'],
    ['box_clock warned: 60.0 s ahead of this machine'],
    [
      'box_node failed: no Node was found, neither on the PATH nor by the login shell',
      'box_python warned: no Python 3 was found',
    ],
    [
      'box_disk warned: free space is unknown',
      'box_home warned: what /home/me lies on is unknown',
      'box_clock warned: its clock is unknown',
    ],
  ])
})
