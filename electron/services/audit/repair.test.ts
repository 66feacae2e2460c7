import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../testing/temp-folder.ts'
import { rooms } from '../core/data-folder.ts'
import { programs } from '../core/programs.ts'
import { LeaseLedger } from '../leases/ledger.ts'
import { listSuites, loadSuite, type Suite } from '../runs/suites.ts'
import { gradeAll, withOwnVerifier } from '../verifier/grade-all.ts'
import { shaOf } from './answers.ts'
import { alike, knownBodies } from './likeness.ts'
import { keyOf } from './regrade.ts'
import { repairSuite, type SavedProgram } from './repair.ts'

const task = 'required-capacity'
const names = ['right', 'strict-expiry', 'input-order-ties', 'inclusive-oracle'] as const

/** The demo's bodies as a run on `weak` would have saved them: each with its grade by that suite and by the audit. */
async function openBench() {
  const home = await tempFolder()
  const { leases, scratch, madeSuites } = rooms(home)
  const ledger = await LeaseLedger.open(leases, () => new Date())
  onTestFinished(() => ledger.close())
  const options = { ledger, scratch, env: process.env, run: null, workers: 2, purpose: 'test verifier' }
  const bodies = await Promise.all(
    names.map(async (id) => ({
      id,
      task,
      body: await readFile(join(programs.demo, 'booking/bodies', `${id}.py`), 'utf8'),
    })),
  )
  const gradeBy = (suite: string) =>
    withOwnVerifier({ ...options, suite: join(programs.demo, 'booking', suite) }, (one) =>
      gradeAll(one, bodies),
    )
  const [training, audit] = [await gradeBy('weak'), await gradeBy('audit')]
  const saved = bodies.map(({ id, body }, i): SavedProgram => {
    const [grade, audited] = [training.get(id), audit.get(id)]
    if (!grade || !audited) throw new Error(`${id} has no grade`)
    const { status, passed, total } = audited
    const accepted = grade.status === 'passed' ? i + 1 : 0
    const row = {
      task,
      bodySha256: shaOf(body),
      rollouts: i + 1,
      accepted,
      firstRollout: '',
      status: grade.status,
      passed: grade.passed,
      tests: grade.total,
      evidenceSha256: null,
      audit: { status, passed, total },
      verdict: null,
    }
    return { row, body, grade, audit: audited }
  })
  return { ledger, options, saved, madeSuites }
}

test('a repair closes both holes with two bookings each, keeps the number of cases and loses no right body', {
  timeout: 600_000,
}, async () => {
  const { ledger, options, saved, madeSuites } = await openBench()
  const suite = await loadSuite(join(programs.demo, 'booking/weak'))
  const audit = await loadSuite(join(programs.demo, 'booking/audit'))
  const request = {
    ...options,
    suite,
    audit,
    programs: saved,
    witnesses: [],
    made: madeSuites,
    regrade: (made: Suite, programs: readonly SavedProgram[]) =>
      withOwnVerifier({ ...options, suite: made.path }, (one) =>
        gradeAll(
          one,
          programs.map(({ row, body }) => ({ id: keyOf(row), task: row.task, body })),
        ),
      ),
    now: () => new Date(0),
  }
  const report = await repairSuite({ ...request, cases: 'swap' })
  expect(report).toMatchObject({
    base: { name: 'booking-weak' },
    suite: { name: 'booking-weak-r2' },
    // Two bookings that touch, the later one first: each of the three wrong bodies, however it is wrong, counts both.
    added: [{ id: 'witness-1', task, input: '[[[1,2],[0,1]]]', expected: '1', observed: '2' }],
    tests: { before: 57, after: 57 },
    regraded: 4,
    unknown: 0,
    effect: {
      programs: {
        before: { acceptedRight: 1, acceptedWrong: 3, rejectedRight: 0, rejectedWrong: 0 },
        after: { acceptedRight: 1, acceptedWrong: 0, rejectedRight: 0, rejectedWrong: 3 },
      },
      draws: {
        before: { acceptedRight: 1, acceptedWrong: 9 },
        after: { acceptedRight: 1, acceptedWrong: 0 },
      },
      removed: 3,
      added: 0,
      lost: 0,
    },
  })
  expect(await listSuites(madeSuites)).toMatchObject([
    { name: 'booking-weak-r2', sha256: report.suite.sha256, cases: 57 },
  ])
  expect(ledger.all().filter(({ state }) => state !== 'released')).toEqual([])

  const known = await knownBodies({ ...options, suite: audit }, task, [join(programs.demo, 'booking')])
  const like = (id: (typeof names)[number]) =>
    saved
      .filter(({ row }) => row.rollouts === names.indexOf(id) + 1)
      .flatMap(({ audit: grade }) => (grade ? alike(grade, known) : []))
  expect(like('strict-expiry')).toEqual([
    'inclusive oracle',
    'strict expiry',
    'the reference with `<` for `<=` in line 8',
  ])
  expect(like('input-order-ties')).toEqual(['input order ties'])
})
