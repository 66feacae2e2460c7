import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { inSample } from '#shared/audit/sample.ts'
import type { RunSpec } from '#shared/domain/run.ts'
import { queueNames } from '#shared/ipc/audit.ts'
import type { RolloutRow, TriageList } from '#shared/ipc/contract.ts'
import type { ConsoleRecord } from '#shared/journal/events.ts'
import { sampleSpec } from '#shared/journal/sample-program.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import { rooms } from '../core/data-folder.ts'
import { programs } from '../core/programs.ts'
import { LeaseLedger } from '../leases/ledger.ts'
import type { Store } from '../store/store.ts'
import { sampleRunId as run, StoreLab, smallSample } from '../store/testing.ts'
import { AuditService } from './audit.ts'
import { AuditWorkshop } from './workshop.ts'

let lab: StoreLab
afterEach(() => lab.dispose())

/** The sample's programs, audited by the demo's own suite where a test starts that. */
async function openBench(audits: number, fetched = true) {
  lab = await StoreLab.make()
  const store = await lab.open()
  const suite = (name: string) => {
    const path = join(programs.demo, 'booking', name)
    const { sha256, version } = JSON.parse(readFileSync(join(path, 'suite.json'), 'utf8'))
    return { path, name, version, sha256 }
  }
  const spec: RunSpec = { ...sampleSpec(smallSample), suite: suite('weak'), audit: suite('audit') }
  const [first = '', ...rest] = lab.lines()
  const started = { ...JSON.parse(first), spec: audits > 0 ? sampleSpec(smallSample) : spec }
  await writeFile(lab.events, `${JSON.stringify(started)}\n${rest.join('')}`)
  await store.catchUp(run)
  if (fetched) await store.fetchMissing(run)
  for (const record of lab.audits(audits)) await store.record(run, record)
  const home = await tempFolder()
  const { leases, scratch, madeSuites: made } = rooms(home)
  const now = () => new Date('2026-11-29T14:00:00Z')
  const ledger = await LeaseLedger.open(leases, now)
  onTestFinished(() => ledger.close())
  const shared = { store, ledger, scratch, env: process.env, now, specOf: async () => spec }
  const audit = new AuditService({ ...shared, onAdvance: () => undefined })
  onTestFinished(() => audit.dispose())
  const workshop = new AuditWorkshop({ ...shared, audit, made, suiteFolders: [] })
  return { store, audit, workshop }
}

const rowsOf = (store: Store, filter: string) =>
  [...store.exportRows(run, filter)].map((row) => JSON.parse(row) as RolloutRow)

/** What a list must hold, counted from the rollouts of its filter one by one. */
function counted(rows: RolloutRow[], perGroup: boolean) {
  const draws = new Map<string, number>()
  for (const { bodySha256, rollout, step, group } of rows) {
    const key = `${bodySha256 ?? rollout}${perGroup ? ` ${step}/${group}` : ''}`
    draws.set(key, (draws.get(key) ?? 0) + 1)
  }
  return [...draws.values()].sort((a, b) => a - b)
}

const sums = ({ rows, groups }: TriageList) =>
  groups.map(({ id, draws, programs: count }) => {
    const own = rows.filter((row) => row.group === id)
    return [draws - own.reduce((sum, row) => sum + row.draws, 0), count - own.length]
  })

test('every list holds each of its programs once, with as many draws as its filter has', async () => {
  const { store, workshop } = await openBench(24)
  const listed: Record<string, number> = {}
  for (const { queue, filter, rollouts } of await workshop.queues(run)) {
    const list = await workshop.queue({ run, queue, filter: '' })
    listed[queue] = list.rows.length
    const rows = queue === 'suspicious' && filter === '' ? [] : rowsOf(store, filter)
    expect([queue, list.rows.map((row) => row.draws).sort((a, b) => a - b)]).toEqual([
      queue,
      counted(rows, queue === 'silent_groups'),
    ])
    expect(rows.length).toBe(rollouts)
    expect(
      sums(list)
        .flat()
        .every((left) => left === 0),
    ).toBe(true)
    expect(new Set(list.rows.map((row) => row.key)).size).toBe(list.rows.length)
  }
  expect(Object.keys(listed)).toEqual([...queueNames])
  const { false_acceptances: falsely = 0, suspicious = 0 } = listed
  expect([falsely > 0, suspicious > 0]).toEqual([true, true])

  const wrong = await workshop.queue({ run, queue: 'false_acceptances', filter: '' })
  const view = await workshop.queue({ run, queue: 'false_acceptances', filter: 'phase:train' })
  expect(view.rows.length).toBeLessThanOrEqual(wrong.rows.length)
  expect(view.rows.map((row) => row.draws).sort((a, b) => a - b)).toEqual(
    counted(rowsOf(store, 'is:false_acceptance phase:train'), false),
  )
  await expect(workshop.queue({ run, queue: 'tampered', filter: 'reward<x' })).rejects.toMatchObject({
    code: 'bad_filter',
  })
})

test('of a share of the accepted programs the same ones are audited whoever asks, and the rest only beside them', {
  timeout: 240_000,
}, async () => {
  const { store, audit } = await openBench(0)
  await audit.start({ run, share: 0.5, rejected: false })
  await audit.finish(run)
  const drawn = new Set(rowsOf(store, 'phase:eval').map((row) => row.bodySha256))
  const accepted = store.bodies(run).filter((body) => body.accepted > 0)
  const due = accepted.filter(({ bodySha256 }) => inSample(bodySha256, 0.5) || drawn.has(bodySha256))
  const audited = () => store.bodies(run).filter((body) => body.audit !== null && body.accepted > 0)
  expect(audited().map((body) => body.bodySha256)).toEqual(due.map((body) => body.bodySha256))
  expect(audited().length).toBeLessThan(accepted.length)

  const view = await audit.view(run)
  const inside = due.filter(({ bodySha256 }) => inSample(bodySha256, 0.5)).length
  const own = view.confusion[0]?.rows[1]
  expect([view.share, (own?.acceptedRight ?? 0) + (own?.acceptedWrong ?? 0)]).toEqual([0.5, inside])
  expect(own?.falseAcceptRate).toMatchObject({ share: null, bounds: expect.any(Object) })
  expect(store.summary(run).auditShare).toBe(0.5)

  // A larger share holds all of the smaller one: only what is new is graded.
  const records = async () =>
    (await store.consoleRecords(run)).filter((record: ConsoleRecord) => record.type === 'audit.graded').length
  const before = await records()
  await audit.start({ run, share: 1, rejected: false })
  await audit.finish(run)
  expect(audited().length).toBe(accepted.length)
  expect((await records()) - before).toBe(accepted.length - due.length)
})

test('an audit that is to be finished waits for bodies whose bytes are still on their way', async () => {
  const { store, audit } = await openBench(0, false)
  const late = store.evidenceGaps(run).map(({ sha256 }) => sha256)
  for (const sha256 of late) lab.withheld.add(sha256)
  setTimeout(() => lab.withheld.clear(), 500)
  await audit.finish(run)
  expect(late.length).toBeGreaterThan(3)
  const drawn = store
    .bodies(run)
    .filter(({ bodySha256 }) =>
      store.programs(run, 'phase:eval').some((program) => program.bodySha256 === bodySha256),
    )
  expect(drawn.length).toBeGreaterThan(3)
  expect(drawn.filter((body) => body.audit === null)).toEqual([])
})

test('the nearest right body is the one that the fewest tokens tell apart, and never the body itself', async () => {
  const { store } = await openBench(24)
  const [wrong] = rowsOf(store, 'status:test_failed')
  const nearest = await store.handlers['rollouts.nearest']({ rollout: wrong?.rollout ?? '' })
  const right = store.programs(run, 'status:passed audit=1')
  expect(nearest).toMatchObject({ distance: 2, compared: right.length, right: right.length })
  expect(right.map((row) => row.firstRollout)).toContain(nearest?.rollout)
  const [own] = right
  const other = await store.handlers['rollouts.nearest']({ rollout: own?.firstRollout ?? '' })
  expect(other?.rollout).not.toBe(own?.firstRollout)
})
