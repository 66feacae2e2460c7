import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { holdsAtLeast, type Isolation } from '#shared/domain/grade.ts'
import type { VerifierHealth } from '#shared/domain/verifier.ts'
import { GradeBook } from '../evidence/grade-book.ts'
import type { Grader, WarmProgress } from '../graders/grader.ts'
import { openGrader } from '../graders/open-grader.ts'
import { openRemoteGrader, type RemotePlace } from '../graders/remote/grader.ts'
import { SlotPool } from '../queue/slot-pool.ts'
import { loadSuite, type Suite } from '../suite/load.ts'
import { lockFolder } from './data-lock.ts'
import { Executor } from './executor.ts'
import { Grading } from './grading.ts'
import { Tally } from './tally.ts'
import type { Identity } from './to-grade.ts'

export const verifierVersion = '0.1.0'

export type ServiceOptions = {
  suite: string
  data: string
  workers: number
  repo: string | null
  commit: string | null
  workspace: string | null
  /** The most that the grader's own folders may take; null for what the disk has free. */
  diskLimitBytes: number | null
  /** The least that must hold a body in; below it nothing is executed. Null for whatever there is. */
  isolationRequired: Isolation | null
  /** Where replicas of this verifier are, for one that only passes bodies on; null for one that grades itself. */
  remote: RemotePlace | null
  log: (text: string) => void
}

/** One suite, one grader, one data folder: everything but the network. */
export type VerifierService = {
  suite: Suite
  grader: Grader
  pool: SlotPool
  book: GradeBook
  grading: Grading
  tally: Tally
  /** Aborted when the service ends. */
  signal: AbortSignal
  health(): VerifierHealth
  /** Fills the caches of every slot. */
  warm(progress: (line: WarmProgress) => void): Promise<void>
  dispose(): Promise<void>
}

/** @throws AppError `bad_suite`, `already_open`, or the grader's own reason why it cannot start. */
export async function openService(options: ServiceOptions): Promise<VerifierService> {
  const suite = loadSuite(options.suite)
  await mkdir(options.data, { recursive: true })
  const lock = lockFolder(options.data)
  try {
    return await assemble(options, suite, lock)
  } catch (failure) {
    lock.dispose()
    throw failure
  }
}

async function assemble(
  options: ServiceOptions,
  suite: Suite,
  lock: { dispose(): void },
): Promise<VerifierService> {
  const { repo, commit, workspace, diskLimitBytes, log } = options
  const scratch = join(options.data, 'scratch')
  await mkdir(scratch, { recursive: true })
  const own = { scratch, repo, commit, workspace, diskLimitBytes, suiteFolder: options.suite, log }
  const grader = await (options.remote
    ? openRemoteGrader(suite, { ...own, ...options.remote })
    : openGrader(suite, own))
  const slots = await grader.open(options.workers)
  const pool = new SlotPool(slots)
  const book = await GradeBook.open(options.data, log)
  const ending = new AbortController()
  const { name, version, sha256, language } = suite.manifest
  const identity: Identity = {
    suite: { name, version, sha256 },
    commit: grader.commit,
    verifier: `ringside-verifier ${verifierVersion} ${grader.kind} ${grader.version}`,
    isolation: grader.isolation,
  }
  const tooOpen = isTooOpen(grader.isolation, options.isolationRequired)
  const refusal = tooOpen === null ? null : 'isolation_below_required'
  const executor = new Executor(book, pool, identity, { signal: ending.signal, log, refusal })
  const notReady = () => tooOpen ?? grader.waitingFor?.() ?? null
  let warming: VerifierHealth['warming'] = null
  const tally = new Tally(executor)
  const instance = randomUUID()
  const startedAt = new Date().toISOString()
  return {
    suite,
    grader,
    pool,
    book,
    grading: new Grading(book, executor, identity, language),
    tally,
    signal: ending.signal,
    health: () => ({
      ready: !ending.signal.aborted && notReady() === null,
      notReady: notReady(),
      warming,
      version: verifierVersion,
      grader: grader.kind,
      isolation: grader.isolation,
      isolationDetail: grader.isolationDetail,
      isolationRequired: options.isolationRequired,
      suite: { name, version, sha256 },
      commit: grader.commit,
      instance,
      startedAt,
      workers: pool.state(),
      queue: pool.queued,
      ...(grader.replicas ? { replicas: grader.replicas() } : {}),
      graded: tally.graded,
      executed: executor.executed,
      ...(grader.stats ? { lockWaits: grader.stats().lockWaits } : {}),
      disk: {
        usedBytes: book.evidence.usedBytes + (grader.stats?.().diskBytes ?? 0),
        limitBytes: grader.stats?.().diskLimitBytes ?? null,
      },
    }),
    warm: async (progress) => {
      const note = (line: WarmProgress) => {
        warming = { phase: line.phase, done: line.done, total: line.total }
        progress(line)
      }
      await pool
        .withAll('(warming)', (idle) => grader.warm(idle, note, ending.signal))
        .finally(() => {
          warming = null
        })
    },
    dispose: async () => {
      ending.abort()
      for (const slot of slots) await slot.dispose()
      await grader.dispose()
      await book.close()
      lock.dispose()
    },
  }
}

function isTooOpen(holding: Isolation, required: Isolation | null): string | null {
  if (required === null || holdsAtLeast(holding, required)) return null
  return `its isolation is ${holding}, and its operator requires ${required}`
}
