import { writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isGraded } from '#shared/domain/grade.ts'
import type { Outputs, RolloutRow } from '#shared/ipc/contract.ts'
import {
  type Filter,
  flags,
  formatFilter,
  numberFields,
  rolloutStatuses,
  type Term,
} from '#shared/rollouts/filter.ts'
import type { Store } from '../store/store.ts'
import { sampleRunId as run, StoreLab, smallSample } from '../store/testing.ts'

let lab: StoreLab
let store: Store
/** Every row, in the journal's order. */
let rows: RolloutRow[]
/** What only the evidence knows, by rollout. */
const texts = new Map<string, string>()
const tests = new Map<string, Map<string, string>>()

beforeAll(async () => {
  lab = await StoreLab.make({ ...smallSample, groupsPerStep: 6, groupSize: 2, programs: 12 })
  store = await lab.open()
  const lines = lab.lines()
  const lastStep = lines.findLastIndex((line) => line.includes('"type":"step.started"'))
  // Up to the middle of the last step's grades: some are there, some silent, some awaited.
  const graded = lines.slice(lastStep).filter((line) => line.includes('"type":"rollout.graded"'))
  const end = lines.indexOf(graded[5] ?? '')
  await writeFile(lab.events, lines.slice(0, end).join(''))
  await store.catchUp(run)
  for (const record of lab.audits(10)) await store.record(run, record)
  await store.fetchMissing(run)
  rows = (await page({ filter: '', limit: 1000 })).rows
  for (const { rollout } of rows) {
    const { body, grade } = await store.handlers['rollouts.get']({ rollout })
    texts.set(rollout, body ?? '')
    tests.set(rollout, new Map(grade?.tests.map(({ name, outcome }) => [name, outcome])))
  }
})
afterAll(() => lab.dispose())

type PageInput = {
  filter: string
  sort?: 'order' | 'reward' | 'audit' | 'ms'
  cursor?: string | null
  skip?: number
  limit: number
}
const page = async (input: PageInput): Promise<Outputs['rollouts.page']> =>
  store.handlers['rollouts.page']({ run, sort: 'order', cursor: null, skip: 0, ...input })

/** Three-valued: null is "not known". */
type Truth = boolean | null

function termHolds(row: RolloutRow, term: Term): boolean {
  const truth = bare(row, term)
  return truth !== null && truth !== term.negated
}

function bare(row: RolloutRow, term: Term): Truth {
  switch (term.kind) {
    case 'status':
      return term.any.some((status) => status === row.status)
    case 'number': {
      const value = numberOf(row, term.field)
      if (value === null) return null
      const { op, value: other } = term
      return {
        '<': value < other,
        '<=': value <= other,
        '=': value === other,
        '>=': value >= other,
        '>': value > other,
        '!=': value !== other,
      }[op]
    }
    case 'null':
      return numberOf(row, term.field) === null
    case 'text': {
      if (term.field === 'body')
        return row.bodySha256 === null ? null : term.any.some((prefix) => row.bodySha256?.startsWith(prefix))
      if (term.field === 'fails') {
        const outcomes = term.any.flatMap((name) => tests.get(row.rollout)?.get(name) ?? [])
        return outcomes.length === 0 ? null : outcomes.some((outcome) => outcome !== 'passed')
      }
      const value = {
        task: row.task,
        policy: row.policy,
        reason: row.reason,
        phase: row.phase,
        cache: row.reward === null ? null : 'fresh',
      }[term.field]
      return value === null ? null : term.any.includes(value)
    }
    case 'flag':
      return flag(row, term.flag)
    case 'search':
      return row.evidenceSha256 === null
        ? null
        : (texts.get(row.rollout) ?? '').toLowerCase().includes(term.text.toLowerCase())
  }
}

function numberOf(row: RolloutRow, field: (typeof numberFields)[number]): number | null {
  const fields = {
    reward: row.reward,
    step: row.step,
    group: row.group,
    index: row.index,
    tokens: row.tokens,
    advantage: row.advantage,
    audit: row.audit && isGraded(row.audit.status) ? (row.audit.passed ?? 0) / (row.audit.total ?? 1) : null,
    ms: row.ms,
    passed: row.passed,
  }
  return fields[field]
}

function flag(row: RolloutRow, name: (typeof flags)[number]): Truth {
  const accepted = row.status !== 'pending' && isGraded(row.status) ? row.status === 'passed' : null
  const right = row.audit && isGraded(row.audit.status) ? row.audit.status === 'passed' : null
  const and = (a: Truth, b: Truth): Truth =>
    a === false || b === false ? false : a === null || b === null ? null : true
  const not = (a: Truth): Truth => (a === null ? null : !a)
  switch (name) {
    case 'false_acceptance':
      return accepted === null ? null : and(accepted, not(right))
    case 'false_rejection':
      return accepted === null ? null : and(!accepted, right)
    case 'silent': {
      const group = rows.filter((one) => one.step === row.step && one.group === row.group)
      const isClosed = row.step !== null && row.step < 3
      return isClosed ? group.every((one) => one.total === group[0]?.total) : null
    }
    case 'truncated':
      return row.truncated
    case 'unaudited':
      return row.bodySha256 !== null && row.audit === null
  }
}

const negated = fc.boolean()
const number = fc.constantFrom(0, 0.5, 1, 2, 3, 11 / 12, 5, 12, 14, 100, 120)
const anyTerm: fc.Arbitrary<Term> = fc.oneof(
  fc.record({
    kind: fc.constant('status' as const),
    any: fc.subarray([...rolloutStatuses], { minLength: 1 }),
    negated,
  }),
  fc.record({
    kind: fc.constant('number' as const),
    field: fc.constantFrom(...numberFields),
    op: fc.constantFrom(
      '<' as const,
      '<=' as const,
      '=' as const,
      '>=' as const,
      '>' as const,
      '!=' as const,
    ),
    value: number,
    negated,
  }),
  fc.record({ kind: fc.constant('null' as const), field: fc.constantFrom(...numberFields), negated }),
  fc.record({
    kind: fc.constant('text' as const),
    field: fc.constantFrom(
      'task' as const,
      'policy' as const,
      'reason' as const,
      'phase' as const,
      'cache' as const,
    ),
    any: fc.subarray(
      ['required-capacity', 'baseline', 'final', 'wall_time', 'no_answer', 'train', 'eval', 'fresh'],
      { minLength: 1 },
    ),
    negated,
  }),
  fc.record({
    kind: fc.constant('text' as const),
    field: fc.constant('fails' as const),
    any: fc.subarray(['case-11', 'case-8', 'case-0', 'no-such-case'], { minLength: 1 }),
    negated,
  }),
  fc.record({ kind: fc.constant('flag' as const), flag: fc.constantFrom(...flags), negated }),
  fc.record({
    kind: fc.constant('search' as const),
    text: fc.constantFrom('variant 1', 'BOOKINGS) - 3', 'nowhere', 'len('),
    negated,
  }),
)
const anyFilter = fc.array(anyTerm, { maxLength: 3 })

const expected = (filter: Filter) => rows.filter((row) => filter.every((term) => termHolds(row, term)))

test('the sample has every kind of row that a filter must tell apart', () => {
  expect(new Set(rows.map((row) => row.status))).toEqual(
    new Set(['passed', 'test_failed', 'timed_out', 'unreachable', 'pending']),
  )
  expect(rows.filter((row) => flag(row, 'false_acceptance') === true).length).toBeGreaterThan(0)
  expect(rows.filter((row) => flag(row, 'silent') === true).length).toBeGreaterThan(0)
})

test('the list is what the terms say, the unknown matching neither a term nor its negation', async () => {
  await fc.assert(
    fc.asyncProperty(anyFilter, async (filter) => {
      const line = formatFilter(filter)
      const got = await page({ filter: line, limit: 1000 })
      const wanted = expected(filter)
      expect(got.rows.map((row) => row.rollout)).toEqual(wanted.map((row) => row.rollout))
      const rewards = wanted.flatMap((row) => row.reward ?? [])
      expect([got.total, got.summary?.audited, got.summary?.falseAcceptances]).toEqual([
        wanted.length,
        wanted.filter((row) => row.audit).length,
        wanted.filter((row) => flag(row, 'false_acceptance') === true).length,
      ])
      if (rewards.length === 0) expect(got.summary?.rewardMean).toBeNull()
      else expect(got.summary?.rewardMean).toBeCloseTo(rewards.reduce((a, b) => a + b, 0) / rewards.length, 9)
    }),
    { numRuns: 300 },
  )
})

test('pages of any size and steps of next and previous walk the same list, in every order', async () => {
  const sort = fc.constantFrom('order' as const, 'reward' as const, 'audit' as const, 'ms' as const)
  await fc.assert(
    fc.asyncProperty(anyFilter, sort, fc.integer({ min: 1, max: 7 }), async (filter, by, limit) => {
      const line = formatFilter(filter)
      const whole = (await page({ filter: line, sort: by, limit: 1000 })).rows
      expect(whole.map((row) => row.rollout).sort()).toEqual(
        expected(filter)
          .map((row) => row.rollout)
          .sort(),
      )
      const paged: string[] = []
      for (let cursor: string | null = null, turn = 0; turn === 0 || cursor !== null; turn += 1) {
        const part: Outputs['rollouts.page'] = await page({ filter: line, sort: by, cursor, limit })
        paged.push(...part.rows.map((row) => row.rollout))
        cursor = part.next
      }
      expect(paged).toEqual(whole.map((row) => row.rollout))
      const at = Math.floor(whole.length / 2)
      const here = whole[at]?.rollout
      if (here === undefined) return
      for (const [direction, step] of [
        ['next', 1],
        ['previous', -1],
      ] as const) {
        const found = await store.handlers['rollouts.neighbour']({
          run,
          filter: line,
          sort: by,
          rollout: here,
          direction,
        })
        expect(found).toEqual({
          rollout: whole[at + step]?.rollout ?? null,
          position: at,
          total: whole.length,
        })
      }
      const skipped = await page({ filter: line, sort: by, skip: at, limit: 1 })
      expect([skipped.rows[0]?.rollout, skipped.summary === null]).toEqual([here, at > 0])
    }),
    { numRuns: 150 },
  )
})

test('orders put the worst first and what is not known last', async () => {
  const values = async (sort: 'reward' | 'audit' | 'ms') =>
    (await page({ filter: '', sort, limit: 1000 })).rows.map((row) => numberOf(row, sort))
  for (const [sort, sign] of [
    ['reward', 1],
    ['audit', 1],
    ['ms', -1],
  ] as const) {
    const got = await values(sort)
    const known = got.filter((value) => value !== null)
    expect(got).toEqual([
      ...known.toSorted((a, b) => sign * (a - b)),
      ...got.filter((value) => value === null),
    ])
    expect(known.length).toBeLessThan(got.length)
  }
})

test('a rollout that the filter leaves out still has neighbours, and no position', async () => {
  const passed = expected([{ kind: 'status', any: ['passed'], negated: false }])
  const other = rows.find((row, index) => index > 3 && row.status !== 'passed')
  const at = rows.indexOf(other as RolloutRow)
  const found = await store.handlers['rollouts.neighbour']({
    run,
    filter: 'status:passed',
    sort: 'order',
    rollout: other?.rollout ?? '',
    direction: 'next',
  })
  expect(found).toEqual({
    rollout: passed.find((row) => rows.indexOf(row) > at)?.rollout,
    position: null,
    total: passed.length,
  })
})

test('bad filters and cursors are one clear line', async () => {
  await expect(page({ filter: 'reward<x', limit: 1 })).rejects.toMatchObject({ code: 'bad_filter' })
  await expect(page({ filter: 'ab', limit: 1 })).rejects.toMatchObject({
    code: 'bad_filter',
    message: 'A search needs at least 3 characters; "ab" has fewer.',
  })
  await expect(page({ filter: '', cursor: 'reward:1:2', limit: 1 })).rejects.toMatchObject({
    code: 'bad_input',
  })
  await expect(page({ filter: `"'); DROP TABLE rollouts; --"`, limit: 1 })).resolves.toMatchObject({
    total: 0,
  })
})

test('an export has the rows of the list, with null where nothing is known', async () => {
  const { jsonl, rows: count } = await store.handlers['export.rollouts']({ run, filter: 'reward:null' })
  const exported = jsonl
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RolloutRow)
  expect([count, exported]).toEqual([exported.length, rows.filter((row) => row.reward === null)])
  expect(exported.every((row) => row.reward === null && row.total === null)).toBe(true)
})

test('the place of a rollout in the whole run is the one that counting gives', async () => {
  for (const [at, { rollout }] of rows.entries())
    expect(
      await store.handlers['rollouts.neighbour']({
        run,
        filter: '',
        sort: 'order',
        rollout,
        direction: 'next',
      }),
    ).toEqual({ rollout: rows[at + 1]?.rollout ?? null, position: at, total: rows.length })
})
