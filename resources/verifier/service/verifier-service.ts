import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { VerifierHealth } from '#shared/domain/verifier.ts'
import { GradeBook } from '../evidence/grade-book.ts'
import type { Grader } from '../graders/grader.ts'
import { openGrader } from '../graders/open-grader.ts'
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
  /** The most that the grader's own folders may take; null for what the disk has free. */
  diskLimitBytes: number | null
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
  const { repo, commit, diskLimitBytes, log } = options
  const scratch = join(options.data, 'scratch')
  await mkdir(scratch, { recursive: true })
  const grader = await openGrader(suite, {
    scratch,
    repo,
    commit,
    diskLimitBytes,
    suiteFolder: options.suite,
    log,
  })
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
  const executor = new Executor(book, pool, identity, ending.signal, log)
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
      ready: !ending.signal.aborted,
      version: verifierVersion,
      grader: grader.kind,
      isolation: grader.isolation,
      isolationDetail: grader.isolationDetail,
      suite: { name, version, sha256 },
      commit: grader.commit,
      instance,
      startedAt,
      workers: pool.state(),
      queue: pool.queued,
      graded: tally.graded,
      executed: executor.executed,
      ...(grader.stats ? { lockWaits: grader.stats().lockWaits } : {}),
      disk: {
        usedBytes: book.evidence.usedBytes + (grader.stats?.().diskBytes ?? 0),
        limitBytes: grader.stats?.().diskLimitBytes ?? null,
      },
    }),
    dispose: async () => {
      ending.abort()
      for (const slot of slots) await slot.dispose()
      await grader.dispose()
      await book.close()
      lock.dispose()
    },
  }
}
