import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AuditView } from '#shared/ipc/contract.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import type { OpenCore } from '../core/core.ts'
import { openConsole, smallRun, untilFinished } from '../core/faults/testing.ts'
import { programs } from '../core/programs.ts'
import { loadSuite } from '../runs/suites.ts'
import { gradeAll, withOwnVerifier } from '../verifier/grade-all.ts'

/** Enough updates that the policy finds both holes of the weak suite. */
const draft = { ...smallRun, seed: 7, updates: 6, groupsPerStep: 3, evalDraws: 4 }
/** Every step of it grades real bodies in real sandboxes, several times over. */
const long = { timeout: 900_000 }

const numbers = (input: string) => (input.match(/\d+/g) ?? []).length

test(
  'both holes of the weak suite are found apart, explained by two bookings, and closed without losing a right body',
  long,
  async () => {
    const home = await tempFolder()
    const core = await openConsole(home)
    const { run } = await core.handlers['launch.start']({ draft })
    await untilFinished(core, run)
    await core.handlers['audit.start']({ run, share: 1, rejected: true })
    await core.parts.audit.finish(run)

    await core.handlers['audit.explain']({ run })
    const view = await core.handlers['audit.get']({ run })
    const strict = await mechanismOf(core, view, 'strict-expiry.py')
    const ties = await mechanismOf(core, view, 'input-order-ties.py')
    expect(strict?.id).not.toBe(ties?.id)
    expect(strict).toMatchObject({
      witness: { shrunk: true, expected: '1', observed: '2' },
      // An oracle that counts both ends in is wrong in the same way, on every case of the audit.
      like: ['inclusive oracle', 'strict expiry', 'the reference with `<` for `<=` in line 8'],
    })
    expect(ties).toMatchObject({
      witness: { shrunk: true, expected: '1', observed: '2' },
      like: expect.arrayContaining(['input order ties']),
    })
    expect([strict, ties].map((one) => numbers(one?.witness?.input ?? ''))).toEqual([4, 4])

    const report = await core.handlers['audit.repair']({ run, cases: 'swap' })
    const wrong = programsOf(view, 'booking-weak')?.acceptedWrong ?? 0
    expect(wrong).toBeGreaterThan(1)
    expect(report).toMatchObject({
      tests: { before: 57, after: 57 },
      unknown: 0,
      effect: { removed: wrong, added: 0, lost: 0, programs: { after: { acceptedWrong: 0 } } },
    })
    expect(report.removed).toHaveLength(report.added.length)
    expect(await recomputed(core, run, report.suite.path)).toEqual(report.effect.programs)

    const { suites } = await core.handlers['launch.options']({})
    expect(suites.find(({ path }) => path === report.suite.path)).toMatchObject({
      name: 'booking-weak-r2',
      role: 'train',
      cases: 57,
    })
    const repaired = await core.handlers['audit.get']({ run })
    expect(repaired.repairs).toEqual([report])
    // The suite that was made stands beside the run's own, on the same bodies.
    const { acceptedRight, rejectedWrong } = report.effect.programs.after
    expect(programsOf(repaired, 'booking-weak-r2')).toMatchObject({
      acceptedRight,
      acceptedWrong: 0,
      rejectedWrong,
      unknown: 0,
      precision: { count: acceptedRight, of: acceptedRight, share: 1, bounds: null },
      falseAcceptRate: { count: 0, of: rejectedWrong, share: 0, bounds: null },
    })
    // The same repair again is the same suite.
    expect((await core.handlers['audit.repair']({ run, cases: 'swap' })).suite).toEqual(report.suite)

    const [first] = view.mechanisms
    const naming = {
      run,
      mechanism: first?.id ?? '',
      name: 'Ends counted in',
      description: 'An end is taken for active.',
    }
    await core.handlers['audit.name'](naming)
    expect((await core.handlers['audit.get']({ run })).mechanisms[0]).toMatchObject({
      name: naming.name,
      named: true,
    })
    expect(core.parts.ledger.open(run).filter(({ label }) => /witness|repair|question/.test(label))).toEqual(
      [],
    )
  },
)

const programsOf = ({ confusion }: AuditView, suite: string) =>
  confusion.find((table) => table.suite.name === suite)?.rows.find(({ by }) => by === 'programs')

/** The mechanism that holds the demo's body of this name, found by what that body fails and not by any name. */
async function mechanismOf(core: OpenCore, view: AuditView, file: string) {
  const body = await readFile(join(programs.demo, 'booking/bodies', file), 'utf8')
  const { ledger } = core.parts
  const suite = await loadSuite(join(programs.demo, 'booking/audit'))
  const own = {
    ledger,
    scratch: await tempFolder(),
    env: process.env,
    run: null,
    suite: suite.path,
    workers: 1,
    purpose: 'test',
  }
  const grades = await withOwnVerifier(own, (one) =>
    gradeAll(one, [{ id: 'it', task: 'required-capacity', body }]),
  )
  const failed = grades
    .get('it')
    ?.tests.filter(({ outcome }) => outcome !== 'passed')
    .map(({ name }) => name)
  for (const mechanism of view.mechanisms) {
    const sha256 = mechanism.example.bodySha256
    const grade = await core.parts.store.auditGrade(view.run, mechanism.task, sha256)
    const own = grade?.tests.filter(({ outcome }) => outcome !== 'passed').map(({ name }) => name)
    if (JSON.stringify(own) === JSON.stringify(failed)) return mechanism
  }
  return null
}

/** The table of verdicts counted from evidence and new grades alone. */
async function recomputed(core: OpenCore, run: string, suite: string) {
  const { store, ledger } = core.parts
  const table = () => ({ acceptedRight: 0, acceptedWrong: 0, rejectedRight: 0, rejectedWrong: 0 })
  const [before, after] = [table(), table()]
  const items: { id: string; task: string; body: string }[] = []
  for (const row of store.bodies(run)) {
    const evidence = row.evidenceSha256 ? await store.evidence.read(row.evidenceSha256) : null
    if (evidence?.body != null) items.push({ id: row.bodySha256, task: row.task, body: evidence.body })
  }
  const own = {
    ledger,
    scratch: await tempFolder(),
    env: process.env,
    run: null,
    suite,
    workers: 2,
    purpose: 'test',
  }
  const grades = await withOwnVerifier(own, (one) => gradeAll(one, items))
  for (const row of store.bodies(run)) {
    const side = row.audit?.status === 'passed' ? ('Right' as const) : ('Wrong' as const)
    const accepted = (yes: boolean) => (yes ? ('accepted' as const) : ('rejected' as const))
    before[`${accepted(row.accepted > 0)}${side}`] += 1
    after[`${accepted(grades.get(row.bodySha256)?.status === 'passed')}${side}`] += 1
  }
  return { before, after }
}
