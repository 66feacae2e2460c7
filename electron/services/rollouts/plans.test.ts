import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SQLInputValue } from 'node:sqlite'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { RolloutRow } from '#shared/ipc/contract.ts'
import { Database } from '../store/index/database.ts'
import type { Store } from '../store/store.ts'
import { sampleRunId as run, StoreLab, smallSample } from '../store/testing.ts'
import { conditionOf } from './filter-sql.ts'
import { neighbourQuery, pageQuery } from './list.ts'

let lab: StoreLab
let store: Store
let rows: RolloutRow[]

beforeAll(async () => {
  lab = await StoreLab.make({ ...smallSample, groupsPerStep: 6, groupSize: 2, programs: 12 })
  store = await lab.open()
  await writeFile(lab.events, lab.lines().join(''))
  await store.catchUp(run)
  await store.fetchMissing(run)
  const whole = { run, filter: '', sort: 'order', cursor: null, skip: 0, limit: 1000 } as const
  rows = (await store.handlers['rollouts.page'](whole)).rows
})
afterAll(() => lab.dispose())

test('pages and neighbours are searched in an index, and never scan or sort the whole table', () => {
  const db = new Database(join(lab.home, 'index.sqlite'))
  const plan = ({ sql, values }: { sql: string; values: SQLInputValue[] }, ...rest: number[]) =>
    db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values, ...rest).map((row) => row.detail)
  try {
    const filter = conditionOf(db, 1, 'status:timed_out reward<1 task:x')
    for (const sort of ['order', 'reward', 'audit', 'ms'] as const) {
      const steps = [
        ...plan(pageQuery(filter, sort, { sort, key: 1, n: 1 }), 200, 0),
        ...plan(neighbourQuery(filter, sort, { key: 1, n: 1 }, 'next')),
        ...plan(neighbourQuery(filter, sort, { key: 1, n: 1 }, 'previous')),
      ]
      expect(steps.filter((step) => step.startsWith('SEARCH rollouts USING INDEX')).length).toBe(3)
      expect(steps.filter((step) => /SCAN|TEMP B-TREE/.test(step))).toEqual([])
    }
    expect(plan(pageQuery(conditionOf(db, 1, 'is:false_acceptance'), 'order', null), 200, 0)[0]).toBe(
      'SEARCH rollouts USING INDEX rollouts_false (run=?)',
    )
  } finally {
    db.dispose()
  }
})

test('one rollout with all that stands beside it is found without going through its run', async () => {
  const asked: { sql: string; values: SQLInputValue[] }[] = []
  const spies = (['all', 'get'] as const).map((name) => {
    const genuine = Database.prototype[name] as (
      this: Database,
      sql: string,
      ...values: SQLInputValue[]
    ) => never
    return vi.spyOn(Database.prototype, name).mockImplementation(function (this: Database, sql, ...values) {
      asked.push({ sql, values })
      return genuine.call(this, sql, ...values)
    })
  })
  const passed = rows.find(({ status, step }) => status === 'passed' && step !== null)?.rollout ?? ''
  const drawn = rows.find(({ phase }) => phase === 'eval')?.rollout ?? ''
  for (const rollout of [passed, drawn]) {
    await store.handlers['rollouts.get']({ rollout })
    await store.handlers['rollouts.nearest']({ rollout })
    for (const direction of ['next', 'previous'] as const)
      await store.handlers['rollouts.neighbour']({ run, filter: '', sort: 'order', rollout, direction })
  }
  for (const spy of spies) spy.mockRestore()
  const db = new Database(join(lab.home, 'index.sqlite'))
  try {
    const steps = asked.flatMap(({ sql, values }) =>
      db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values).map(({ detail }) => detail),
    )
    const inRollouts = steps.filter((step) => /(SEARCH|SCAN) (rollouts|first)/.test(step))
    expect(inRollouts.length).toBeGreaterThan(16)
    expect(inRollouts.filter((step) => !step.startsWith('SEARCH') || / \(run=\?\)$/.test(step))).toEqual([])
  } finally {
    db.dispose()
  }
})
