import { appendFile, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { decodeLine } from '#shared/journal/decode.ts'
import { RunReducer } from '#shared/journal/reduce.ts'
import { dumpIndex, StoreLab, sampleRunId, smallSample } from './testing.ts'

let lab: StoreLab
afterEach(() => lab.dispose())

/** The state that the reducer alone makes of a journal, steps in order. */
function plainState(text: string) {
  const reducer = new RunReducer()
  let offset = 0
  for (const line of text.split('\n').slice(0, -1)) {
    reducer.apply(decodeLine(line), offset)
    offset += Buffer.byteLength(line) + 1
  }
  return reducer.state
}

test('a run read in batch by batch has the state, the bytes and the evidence of the whole', async () => {
  lab = await StoreLab.make()
  const store = await lab.open()
  const following = store.follow(sampleRunId)
  for (const line of lab.lines()) {
    await appendFile(lab.events, line)
    if (line.includes('"step.finished"')) await store.catchUp(sampleRunId)
  }
  await store.catchUp(sampleRunId)
  const source = await readFile(lab.events, 'utf8')
  expect(await readFile(join(lab.home, 'runs', sampleRunId, 'journal.jsonl'), 'utf8')).toBe(source)
  const { state } = await store.handlers['runs.state']({ run: sampleRunId })
  expect(state).toEqual(plainState(source))
  expect(await store.fetchMissing(sampleRunId)).toEqual([])
  await following.dispose()
  expect(lab.notices).toEqual([])
})

test('a deleted index is rebuilt from journals, console records and evidence to the same', async () => {
  lab = await StoreLab.make()
  let store = await lab.open()
  await writeFile(lab.events, lab.lines().slice(0, 60).join(''))
  await store.catchUp(sampleRunId)
  for (const record of lab.audits(4)) await store.record(sampleRunId, record)
  await writeFile(lab.events, lab.lines().join(''))
  await store.catchUp(sampleRunId)
  for (const record of lab.audits(9).slice(4)) await store.record(sampleRunId, record)
  await store.record(sampleRunId, {
    at: '2026-11-29T13:00:00.000Z',
    type: 'verdict',
    bodySha256: 'a'.repeat(64),
    verdict: 'wrong',
    note: 'ties',
  })
  // What another suite says of a body, and then cannot say: silence does not take the verdict's place.
  const [audited] = lab.audits(1)
  if (audited?.type !== 'audit.graded') throw new Error('the lab audits nothing')
  for (const grade of [audited.grade, { ...audited.grade, status: 'unresolved' as const, reward: null }])
    await store.record(sampleRunId, { ...audited, type: 'suite.graded', origin: 'other', grade })
  await store.record(sampleRunId, { at: audited.at, type: 'audit.sampled', share: 0.25 })
  await store.fetchMissing(sampleRunId)
  expect([store.auditShare(sampleRunId), store.regrades(sampleRunId).map(({ status }) => status)]).toEqual([
    0.25,
    [audited.grade.status],
  ])
  await store.dispose()
  const before = dumpIndex(lab.home)
  expect([before.rollouts?.length, before.regrades?.length]).toEqual([60, 1])
  expect(before.found?.length).toBeGreaterThan(1)
  await rm(join(lab.home, 'index.sqlite'))
  store = await lab.open({ boxFiles: () => null, fetchEvidence: async () => null })
  await store.dispose()
  expect(dumpIndex(lab.home)).toEqual(before)
})

test('a damaged index is set aside and rebuilt, and said', async () => {
  lab = await StoreLab.make()
  let store = await lab.open()
  await writeFile(lab.events, lab.lines().join(''))
  await store.catchUp(sampleRunId)
  await store.fetchMissing(sampleRunId)
  await store.dispose()
  const before = dumpIndex(lab.home)
  await writeFile(
    join(lab.home, 'index.sqlite'),
    'this is no database, and long enough to be taken for one'.repeat(90),
  )
  store = await lab.open()
  await store.dispose()
  expect(lab.notices.map(({ text }) => text)).toEqual(['Building the index again: the index was damaged.'])
  expect(dumpIndex(lab.home)).toEqual(before)
})

test('damage inside an index that looked sound is found at the latest by the next start', async () => {
  lab = await StoreLab.make()
  let store = await lab.open()
  await writeFile(lab.events, lab.lines().join(''))
  await store.catchUp(sampleRunId)
  await store.fetchMissing(sampleRunId)
  await store.dispose()
  const before = dumpIndex(lab.home)
  const path = join(lab.home, 'index.sqlite')
  const bytes = await readFile(path)
  await writeFile(path, Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 0xff)]))
  for (let start = 0; start < 2; start += 1) {
    store = await lab.open()
    await store.dispose()
  }
  expect(dumpIndex(lab.home)).toEqual(before)
})

test('an index that does not fit the journal is read in again', async () => {
  lab = await StoreLab.make()
  let store = await lab.open()
  await writeFile(lab.events, lab.lines().join(''))
  await store.catchUp(sampleRunId)
  const { seq } = await store.handlers['live.since']({ run: sampleRunId, afterSeq: -1 })
  await store.dispose()
  await truncate(join(lab.home, 'runs', sampleRunId, 'journal.jsonl'), 3000)
  await rm(lab.events)
  store = await lab.open({ now: () => new Date('2026-11-29T15:00:00Z') })
  const delta = await store.handlers['live.since']({ run: sampleRunId, afterSeq: seq })
  expect([delta.reset, delta.state.lastSeq]).toEqual([true, expect.any(Number)])
  expect(delta.state.lastSeq).toBeLessThan(smallSample.steps * 10)
  expect(lab.notices.map(({ text }) => text)).toEqual([
    'Its files changed under the index; it is read in again.',
  ])
})

test('missing evidence holds nothing up, is shown, and is fetched later', async () => {
  lab = await StoreLab.make()
  const store = await lab.open()
  await writeFile(lab.events, lab.lines().join(''))
  await store.catchUp(sampleRunId)
  const [first] = store.bodies(sampleRunId)
  const missing = first?.evidenceSha256 ?? ''
  lab.withheld.add(missing)
  expect(await store.fetchMissing(sampleRunId)).toEqual([
    { sha256: missing, tries: 1, lastTriedAt: '2026-11-29T14:00:00.000Z', reason: 'it is nowhere to be had' },
  ])
  expect(store.heartbeats(sampleRunId).find(({ name }) => name === 'log')?.detail).toContain(
    '1 piece of evidence still missing',
  )
  const rollout = first?.firstRollout ?? ''
  const detail = await store.handlers['rollouts.get']({ rollout })
  expect([detail.evidence, detail.body, detail.row.evidenceSha256, detail.grade?.tests.length]).toEqual([
    null,
    null,
    missing,
    12,
  ])
  lab.withheld.clear()
  expect(await store.fetchMissing(sampleRunId)).toEqual([])
  expect((await store.handlers['rollouts.get']({ rollout })).evidence?.body).toContain(
    'def required_capacity',
  )
})
