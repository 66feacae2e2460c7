import { readFileSync } from 'node:fs'
import { appendFile, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { AppError } from '#shared/base/errors.ts'
import { silentGrade } from '#shared/domain/grade.ts'
import type { ConsoleRecord } from '#shared/journal/events.ts'
import { samplePrograms, sampleTask } from '#shared/journal/sample-program.ts'
import { localFiles } from '../telemetry/local-files.ts'
import { sha256Of } from './evidence.ts'
import { sampleRunId as run, StoreLab, smallSample } from './testing.ts'

let lab: StoreLab
afterEach(() => lab.dispose())

const booking = join(import.meta.dirname, '../../../resources/demo/booking')
const programs = samplePrograms(smallSample)
const at = '2026-11-29T13:00:00.000Z'

/** The sample's journal with the demo's own suites in its spec. */
function linesWithSuites(): string[] {
  const [first = '', ...rest] = lab.lines()
  const started = JSON.parse(first)
  for (const [key, name] of [
    ['suite', 'weak'],
    ['audit', 'audit'],
  ] as const) {
    const { sha256, version } = JSON.parse(readFileSync(join(booking, name, 'suite.json'), 'utf8'))
    started.spec[key] = { path: join(booking, name), name, version, sha256 }
  }
  return [`${JSON.stringify(started)}\n`, ...rest]
}

/** An audit grade as the run's own audit suite would give it; null hashes fit every suite. */
const audit = (index: number, grade: Partial<(typeof programs)[0]['auditGrade']> = {}): ConsoleRecord => ({
  at,
  type: 'audit.graded',
  bodySha256: programs[index]?.bodySha256 ?? '',
  task: sampleTask,
  grade: { ...(programs[index]?.auditGrade ?? silentGrade('unresolved', 'none')), suite: null, ...grade },
})

test('one rollout in full: journal, evidence, completion, audit, suites, siblings, the same body elsewhere', async () => {
  lab = await StoreLab.make()
  const store = await lab.open()
  await writeFile(lab.events, linesWithSuites().join(''))
  await store.catchUp(run)
  await store.fetchMissing(run)
  const wrong = store.bodies(run).find((body) => body.bodySha256 === programs[9]?.bodySha256)
  await store.record(run, audit(9))
  const rollout = wrong?.firstRollout ?? ''
  const detail = await store.handlers['rollouts.get']({ rollout })
  const program = programs[9]
  const page = await store.handlers['rollouts.page']({
    run,
    filter: `body:${program?.bodySha256}`,
    sort: 'order',
    cursor: null,
    skip: 0,
    limit: 100,
  })
  expect(detail).toEqual({
    row: page.rows[0],
    prompt: expect.stringContaining('required_capacity'),
    completion: program?.completion,
    completionSha256: program?.completionSha256,
    extraction: detail.row.phase === 'train' ? { outcome: 'body', fences: 1, info: 'python' } : null,
    body: JSON.parse(program?.evidence ?? '').body,
    grade: program?.grade,
    components: detail.row.phase === 'train' ? { tests: 1 } : {},
    evidence: JSON.parse(program?.evidence ?? ''),
    auditGrade: { ...program?.auditGrade, suite: null },
    reference: await readFile(join(booking, 'weak/reference/required-capacity.py'), 'utf8'),
    language: 'python',
    cases: {
      training: expect.objectContaining({}),
      audit: expect.objectContaining({}),
    },
    siblings: expect.any(Array),
    // An evaluation draw, and a first step, have no step before.
    previous: null,
    sameBody: page.rows.slice(1).map(({ rollout: other, step }) => ({ rollout: other, step })),
    files: [
      { label: 'journal', path: join(lab.home, 'runs', run, 'journal.jsonl') },
      { label: 'evidence', path: expect.stringContaining(program?.grade.evidenceSha256 ?? '?') },
      { label: 'completion', path: expect.stringContaining(program?.completionSha256 ?? '?') },
      { label: 'reference', path: join(booking, 'weak/reference/required-capacity.py') },
    ],
  })
  expect(detail.row).toMatchObject({
    status: 'passed',
    audit: { status: 'test_failed', passed: 10, total: 12 },
  })
  expect([Object.keys(detail.cases.training).length, Object.keys(detail.cases.audit).length]).toEqual([
    57, 192,
  ])
  const inGroup = await store.handlers['rollouts.get']({ rollout: `${run}/2/1/0` })
  expect(inGroup.siblings.map((one) => [one.rollout, one.body?.slice(0, 3)])).toEqual(
    [1, 2, 3].map((index) => [`${run}/2/1/${index}`, 'def']),
  )
  await expect(store.handlers['rollouts.get']({ rollout: `${run}/99/0/0` })).rejects.toMatchObject({
    code: 'not_found',
  })
  const evidence = await store.handlers['evidence.get']({ sha256: program?.grade.evidenceSha256 ?? '' })
  expect(evidence.json).toBe(program?.evidence)
})

test('the list of runs says what was accepted wrongly, and pass rates only of what the audit has graded', async () => {
  lab = await StoreLab.make()
  const store = await lab.open({ leasesHeld: () => 2 })
  await writeFile(lab.events, linesWithSuites().join(''))
  await store.catchUp(run)
  const before = store.summary(run)
  expect([before.falseAcceptances, before.audited, before.passRateBefore, before.passRateAfter]).toEqual([
    null,
    0,
    null,
    null,
  ])
  for (let index = 0; index < 24; index += 1) await store.record(run, audit(index))
  const draws = (policy: string, filter: string) =>
    [...store.exportRows(run, `phase:eval policy:${policy} ${filter}`)].length
  const all = [...store.exportRows(run, '')].map((row) => JSON.parse(row))
  const { state } = await store.handlers['runs.state']({ run })
  expect(await store.handlers['runs.list']({})).toEqual([
    {
      run,
      name: 'sample',
      suite: 'weak',
      auditSuite: 'audit',
      phase: 'finished',
      stage: null,
      step: 3,
      planned: 4,
      outcome: 'completed',
      startedAt: '2026-11-29T12:00:00.000Z',
      lastAt: state.lastAt,
      rollouts: 48,
      byStatus: state.byStatus,
      nullRewards: 0,
      falseAcceptances: all.filter((row) => row.status === 'passed' && row.audit.status !== 'passed').length,
      audited: 60,
      auditShare: 1,
      rewardMeans: state.steps.map((step) => step.rewardMean),
      passRateBefore: { passed: draws('baseline', 'audit=1'), graded: 6, planned: 6 },
      passRateAfter: { passed: draws('final', 'audit=1'), graded: 6, planned: 6 },
      leases: 2,
      tornDown: false,
    },
  ])
})

test('silence never takes the place of a verdict, another suite’s verdict is not this audit’s, a later verdict is', async () => {
  lab = await StoreLab.make()
  const store = await lab.open()
  await writeFile(lab.events, linesWithSuites().join(''))
  await store.catchUp(run)
  const seen = () =>
    store.bodies(run).find((body) => body.bodySha256 === programs[9]?.bodySha256)?.audit?.status ?? null
  const statuses: (string | null)[] = [seen()]
  const other = { name: 'other', version: '1', sha256: sha256Of('other') }
  for (const grade of [
    { suite: other },
    { ...silentGrade('unresolved', 'crash') },
    {},
    { ...silentGrade('unreachable', 'gone') },
    { status: 'passed' as const, reward: 1, passed: 12 },
  ]) {
    await store.record(run, audit(9, grade))
    statuses.push(seen())
  }
  expect(statuses).toEqual([null, null, 'unresolved', 'test_failed', 'test_failed', 'passed'])
  expect((await store.auditGrade(run, sampleTask, programs[9]?.bodySha256 ?? ''))?.status).toBe('passed')
})

test('a run whose trainer vanished is ended by the console’s record, until its journal goes on', async () => {
  lab = await StoreLab.make()
  const store = await lab.open()
  const lines = lab.lines()
  await writeFile(lab.events, lines.slice(0, 40).join(''))
  await store.catchUp(run)
  await store.record(run, { at, type: 'interrupted', reason: 'The trainer is gone.' })
  const short = () => {
    const { phase, outcome } = store.summary(run)
    return [phase, outcome, store.heartbeats(run)[0]?.state]
  }
  const ended = short()
  const resumed = JSON.parse(lines[39] ?? '')
  await appendFile(
    lab.events,
    `${JSON.stringify({ v: 1, seq: 40, at: '2026-11-29T13:59:50.000Z', run: resumed.run, type: 'run.resumed', host: 'h', versions: {}, fromStep: 1 })}\n`,
  )
  await store.catchUp(run)
  expect([ended, short()]).toEqual([
    ['finished', 'interrupted', 'ended'],
    ['running', null, 'live'],
  ])
  await store.record(run, { at, type: 'torn_down', released: ['a'], left: ['b'] })
  const left = store.summary(run).tornDown
  await store.record(run, { at, type: 'torn_down', released: ['a', 'b'], left: [] })
  expect([left, store.summary(run).tornDown]).toEqual([false, true])
})

test('another journal under the name is said and kept out; the copy stays as it is', async () => {
  lab = await StoreLab.make()
  const store = await lab.open()
  const lines = lab.lines()
  await writeFile(lab.events, lines.slice(0, 20).join(''))
  const following = store.follow(run)
  await store.catchUp(run)
  await writeFile(join(lab.box, 'other'), lines.join('').replaceAll('"sample"', '"forged"'))
  await rename(join(lab.box, 'other'), lab.events)
  await expect(store.catchUp(run)).rejects.toMatchObject({ code: 'unreachable' })
  expect(await readFile(join(lab.home, 'runs', run, 'journal.jsonl'), 'utf8')).toBe(
    lines.slice(0, 20).join(''),
  )
  expect(lab.notices.map(({ level, text }) => [level, text])).toEqual([
    [
      'error',
      `The journal of ${run} on its box is not the one that was mirrored here; the copy is kept as it is.`,
    ],
  ])
  expect(store.heartbeats(run)[2]).toMatchObject({ name: 'log', state: 'lost' })
  await following.dispose()
})

test('a box that does not answer fails the one look, loses nothing, and is taken up where it stopped', async () => {
  lab = await StoreLab.make()
  let isDown = false
  const files = localFiles(lab.box)
  const store = await lab.open({
    boxFiles: () => ({
      stat: async (path) => {
        if (isDown) throw new AppError('unreachable', 'The box does not answer.')
        return files.stat(path)
      },
      read: files.read,
    }),
  })
  const lines = lab.lines()
  await writeFile(lab.events, lines.slice(0, 20).join(''))
  const first = store.follow(run)
  const second = store.follow(run)
  await store.catchUp(run)
  isDown = true
  await appendFile(lab.events, lines.slice(20).join(''))
  await expect(store.catchUp(run)).rejects.toMatchObject({
    code: 'unreachable',
    message: `The journal of ${run} could not be read to its end: The box does not answer.`,
  })
  await first.dispose()
  isDown = false
  await store.catchUp(run)
  expect(store.summary(run)).toMatchObject({ phase: 'finished', rollouts: 48 })
  await second.dispose()
  await second.dispose()
})
