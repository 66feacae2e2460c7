import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { ConsoleRecord } from '#shared/journal/events.ts'
import { type SampleOptions, samplePrograms, sampleTask } from '#shared/journal/sample-program.ts'
import { sampleEvents } from '#shared/journal/sample-run.ts'
import { localFiles } from '../telemetry/local-files.ts'
import { sha256Of } from './evidence.ts'
import { openStore } from './store.ts'
import type { Notice, Store, StoreDeps } from './types.ts'

export const sampleRunId = 'r-20261129-abcdef'

export const smallSample: SampleOptions = {
  run: sampleRunId,
  seed: 7,
  steps: 4,
  groupsPerStep: 3,
  groupSize: 4,
  evalDraws: 6,
  tests: 12,
  programs: 24,
  silentEvery: 5,
  hash: sha256Of,
}

/** A data folder and a made-up box beside it, with the evidence and completions of a sample run to be had. */
export class StoreLab {
  readonly root: string
  readonly options: SampleOptions
  readonly notices: Notice[] = []
  readonly stores: Store[] = []
  /** Evidence that cannot be had right now. */
  readonly withheld = new Set<string>()
  private readonly evidence: Map<string, Uint8Array>

  private constructor(root: string, options: SampleOptions) {
    this.root = root
    this.options = options
    this.evidence = new Map(
      samplePrograms(options).map((one) => [one.grade.evidenceSha256 ?? '', Buffer.from(one.evidence)]),
    )
  }

  static async make(options: SampleOptions = smallSample): Promise<StoreLab> {
    const lab = new StoreLab(await mkdtemp(join(tmpdir(), 'ringside-store-')), options)
    await mkdir(join(lab.box, 'completions'), { recursive: true })
    for (const one of samplePrograms(options))
      await writeFile(join(lab.box, 'completions', one.completionSha256), one.completion)
    return lab
  }

  get home(): string {
    return join(this.root, 'home')
  }

  get box(): string {
    return join(this.root, 'box')
  }

  get events(): string {
    return join(this.box, 'events.jsonl')
  }

  lines(): string[] {
    return [...sampleEvents(this.options)].map((event) => `${JSON.stringify(event)}\n`)
  }

  /** Audit grades of the first programs, as the console would record them. */
  audits(programs: number): ConsoleRecord[] {
    return samplePrograms(this.options)
      .slice(0, programs)
      .map((one) => ({
        at: '2026-11-29T13:00:00.000Z',
        type: 'audit.graded',
        bodySha256: one.bodySha256,
        task: sampleTask,
        grade: one.auditGrade,
      }))
  }

  async open(overrides: Partial<StoreDeps> = {}): Promise<Store> {
    const store = await openStore({
      home: this.home,
      now: () => new Date('2026-11-29T14:00:00Z'),
      boxFiles: () => localFiles(this.box),
      fetchEvidence: async (_, sha) => (this.withheld.has(sha) ? null : (this.evidence.get(sha) ?? null)),
      onNotice: (notice) => this.notices.push(notice),
      pollMs: 20,
      ...overrides,
    })
    this.stores.push(store)
    return store
  }

  async dispose(): Promise<void> {
    for (const store of this.stores) await store.dispose()
    await rm(this.root, { recursive: true, force: true })
  }
}

/** A small disk that a test may fill; null where the system lets nobody but its administrator mount one. */
export function smallDisk(at: string, sizeKiB: number): { unmount: () => void } | null {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeKiB}k`, 'tmpfs', at], { stdio: 'ignore' })
    return { unmount: () => execFileSync('umount', ['-l', at]) }
  } catch {
    return null
  }
}

/** All that an index says, free of row numbers and revisions, to compare one that grew with one that was rebuilt. The store must be closed. */
export function dumpIndex(home: string): Record<string, unknown[]> {
  const db = new DatabaseSync(join(home, 'index.sqlite'), { readOnly: true })
  const sha = (column: string) => `(SELECT sha FROM hashes WHERE id = ${column}) AS ${column}`
  const run = '(SELECT run FROM runs WHERE id = t.run) AS run'
  try {
    return Object.fromEntries(
      Object.entries({
        runs: `SELECT run, journal_end, journal_tail, console_end, console_tail, next_n, state, audit_suite, torn_down FROM runs t ORDER BY run`,
        steps: `SELECT ${run}, step, reward_mean, row FROM steps t ORDER BY 1, 2`,
        memory: `SELECT ${run}, sample FROM memory t ORDER BY t.run, rev`,
        rollouts: `SELECT ${run}, n, rollout, phase, policy, step, grp, idx, task, tokens, truncated, status, reward, total, advantage, components,
          passed, tests, ms, reason, cache, outcomes, grade_at, grade_bytes, silent, audit_status, audit_reward, audit_passed, audit_total,
          false_acceptance, false_rejection, (SELECT names FROM test_lists WHERE id = test_list) AS names,
          ${sha('completion')}, ${sha('body')}, ${sha('evidence')} FROM rollouts t ORDER BY 1, 2`,
        audits: `SELECT ${run}, task, ${sha('body')}, suite, status, reward, passed, total, reason, outcomes, at, bytes FROM audits t ORDER BY 1, 2, 3`,
        regrades: `SELECT ${run}, suite, task, ${sha('body')}, name, origin, status, reward, passed, total, ${sha('evidence')} FROM regrades t ORDER BY 1, 2, 3, 4`,
        verdicts: `SELECT ${run}, ${sha('body')}, verdict, note FROM verdicts t ORDER BY 1, 2`,
        contents: `SELECT ${run}, ${sha('hash')}, kind, present FROM contents t ORDER BY 1, 2`,
        found: `SELECT sha FROM hashes WHERE id IN (SELECT rowid FROM texts WHERE texts MATCH '"variant 1"') ORDER BY sha`,
      }).map(([name, sql]) => [
        name,
        db
          .prepare(sql)
          .all()
          .map((row) => ({ ...row })),
      ]),
    )
  } finally {
    db.close()
  }
}
