import { expect, it } from 'vitest'
import type { TeardownRow } from '#shared/domain/lease.ts'
import { identityText, shownRows } from './row-state.ts'

const row = (lease: string, more: Partial<TeardownRow> = {}): TeardownRow => ({
  lease,
  kind: 'process',
  label: `label ${lease}`,
  action: 'release',
  proof: null,
  ...more,
})
const plan = [row('a'), row('b'), row('c', { action: 'keep', proof: 'the record' }), row('d')]
const states = (...given: Parameters<typeof shownRows>) =>
  shownRows(...given).map(({ state, says }) => [state, says])

it('shows the plan, then what is told, then what the report proves', () => {
  const all = new Set(['a', 'b'])
  expect(states(plan, null, {}, all, false)).toEqual([
    ['planned', null],
    ['planned', null],
    ['kept', 'the record'],
    ['kept', 'kept by choice'],
  ])
  expect(states(plan, null, { 'label a': 'released', 'label b': 'releasing' }, all, true)).toEqual([
    ['released', null],
    ['releasing', null],
    ['kept', 'the record'],
    ['kept', 'kept by choice'],
  ])
  const report = {
    plan,
    released: [row('a', { proof: 'no process 1' })],
    left: [row('b', { proof: 'still alive' }), row('d', { proof: 'kept by choice' })],
  }
  expect(states(plan, report, {}, all, false)).toEqual([
    ['released', 'no process 1'],
    ['left', 'still alive'],
    ['kept', 'the record'],
    ['left', 'kept by choice'],
  ])
})

it('names a thing by its exact identity, and says where there is none yet', () => {
  expect(identityText(row('a', { identity: { pid: 4711, startedAt: '2026-11-29T09:00:00Z' } }))).toBe(
    'pid 4711 · started 2026-11-29T09:00:00Z',
  )
  expect(identityText(row('a', { kind: 'folder', identity: { path: '/data/x' } }))).toBe('/data/x')
  expect(identityText(row('a'))).toBe('not acquired')
})
