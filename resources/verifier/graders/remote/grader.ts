import { AppError, toAppError } from '#shared/base/errors.ts'
import { type GradeLine, type Isolation, isolations } from '#shared/domain/grade.ts'
import { Case } from '#shared/domain/suite.ts'
import type { Evidence, TaskListing } from '#shared/domain/verifier.ts'
import type { Suite } from '../../suite/load.ts'
import { parseLines } from '../../suite/parse.ts'
import type { GradeJob, Grader, GraderOptions, Slot, Verdict, VerdictStatus } from '../grader.ts'
import { Replicas } from './replicas.ts'

export type RemotePlace = {
  /** Says where the replicas are; see `BackendsFile`. */
  backendsFile: string
  /** Under what name bodies are sent: the run's. */
  sender: string
}

export type RemoteOptions = GraderOptions & RemotePlace

/**
 * Grades by asking replicas of a verifier elsewhere. The service around it keeps evidence and grades as ever, so a replica may go with all
 * that it has: what is finished is here, and only what is not is asked for again.
 */
export async function openRemoteGrader(suite: Suite, options: RemoteOptions): Promise<Grader> {
  const { commit, log } = options
  const replicas = new Replicas(options.backendsFile, { suiteSha256: suite.manifest.sha256, commit }, log)
  await replicas.start()
  const usable = () => replicas.all().filter((replica) => replica.usable)
  const weakest = (): Isolation => {
    const levels = usable().flatMap((replica) => replica.health?.isolation ?? [])
    return isolations.findLast((level) => levels.includes(level)) ?? 'none'
  }
  return {
    kind: suite.manifest.grader,
    version: 'remote',
    get isolation() {
      return weakest()
    },
    get isolationDetail() {
      return (
        usable()[0]?.health?.isolationDetail ?? 'nothing is known of where candidates run: no replica answers'
      )
    },
    commit,
    tasks: () => tasksOf(suite),
    open: async (count) =>
      Array.from({ length: count }, (_, index) => remoteSlot(index, replicas, options.sender)),
    warm: async () => undefined,
    // Each replica tests itself; its controls are asked of it directly.
    controls: () => [],
    waitingFor: () => replicas.waitingFor(),
    replicas: () => replicas.health(),
    dispose: () => replicas.dispose(),
  }
}

/** As the grader of the suite's kind would list them, without opening it: its tools need not be here. */
function tasksOf(suite: Suite): TaskListing[] {
  return suite.tasks.map(({ id, prompt, signature }) => {
    const cases = suite.files.get(`cases/${id}.jsonl`)
    const tests = cases === undefined ? [] : parseLines(Case, cases, `cases/${id}.jsonl`).map((one) => one.id)
    return { id, prompt, signature, tests }
  })
}

function remoteSlot(index: number, replicas: Replicas, sender: string): Slot {
  return {
    index,
    // Whether the place that a body goes to is warm is known only when it went.
    cache: 'warm',
    grade: (job) => gradeSomewhere(replicas, sender, job),
    dispose: async () => undefined,
  }
}

/**
 * One body, on one replica, until there is a grade. A replica that gave no answer is asked once more where it still lives: what it finished
 * it answers from its record. Only one that does not answer is passed over for the next.
 * @throws {AppError} `unreachable` where none of them can grade.
 */
async function gradeSomewhere(replicas: Replicas, sender: string, job: GradeJob): Promise<Verdict> {
  const { task, body, bodySha256, signal } = job
  const request = { run: sender, id: `${task.slice(0, 200)}/${bodySha256}`, task, body }
  const lost = new Set<string>()
  const asked = new Map<string, number>()
  for (;;) {
    const replica = replicas.pick(bodySha256, lost)
    if (replica === null)
      throw new AppError(
        'unreachable',
        `No verifier answers: ${replicas.waitingFor() ?? 'all that were asked were lost'}.`,
      )
    const { uid } = replica.backend
    try {
      const { line, evidence } = await replica.grade(request, signal)
      if (line.reason !== 'verifier_ending') return verdictOf(line, evidence)
      lost.add(uid)
    } catch (failure) {
      if (signal.aborted) throw failure
      if (toAppError(failure).code !== 'unreachable') throw failure
      const tries = (asked.get(uid) ?? 0) + 1
      asked.set(uid, tries)
      await replica.look(signal)
      if (tries > 1 || !replica.usable) lost.add(uid)
    }
  }
}

function verdictOf(line: GradeLine, evidence: Evidence | null): Verdict {
  if (line.status === 'no_answer' || line.status === 'unreachable')
    throw new AppError('unresolved', `A replica answered ${line.status}, which a body cannot get.`)
  const status: VerdictStatus = line.status
  const cache = evidence?.grade.cache ?? line.cache
  return {
    status,
    reason: line.reason,
    tests: line.tests,
    buildMs: line.buildMs,
    testMs: line.testMs,
    cache: cache === null || cache === 'replayed' ? 'fresh' : cache,
    output: evidence?.output ?? [],
    by: { verifier: line.verifier, isolation: line.isolation },
  }
}
