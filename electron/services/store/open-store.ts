import type { Disposable, Disposables } from '#shared/base/disposable.ts'
import type { Emitter } from '#shared/base/emitter.ts'
import { AppError } from '#shared/base/errors.ts'
import type { Evidence } from '#shared/domain/verifier.ts'
import type { Heartbeat, RunSummary } from '#shared/ipc/contract.ts'
import type { ConsoleRecord } from '#shared/journal/events.ts'
import { heartbeatsOf } from '../live/heartbeats.ts'
import { RolloutLists } from '../rollouts/list.ts'
import { programsOf } from '../rollouts/programs.ts'
import { rolloutRow } from '../rollouts/row.ts'
import { SuiteFacts } from '../rollouts/suite-facts.ts'
import { savedAudit, savedBodies, savedRegrades, savedShare } from './audits.ts'
import { appendRecords, readRecords } from './console-log.ts'
import { Contents, parseEvidence } from './contents.ts'
import { EvidenceStore } from './evidence.ts'
import { Follower } from './follower.ts'
import { storeHandlers } from './handlers.ts'
import type { Database } from './index/database.ts'
import { savedPassRates } from './index/pass-rates.ts'
import { listRuns, type StorePaths } from './paths.ts'
import { RunFeed } from './run-feed.ts'
import { savedRun } from './saved-run.ts'
import { summarise } from './summary.ts'
import type { BodyRow, EvidenceGap, Store, StoreDeps, StoreHandlers } from './types.ts'

/** Twice a second: what a person sees as at once, and nothing that a disk or a link would notice. */
const defaultPollMs = 500

type Change = { run: string; seq: number }

/** How often, and after what pause, what is on its way to a box's disk is asked for again before it counts as missing. */
const [lastRounds, lastPauseMs] = [5, 300]

/** The store while it is open; see `Store` for what each part promises. */
export class OpenStore implements Store {
  readonly handlers: StoreHandlers
  readonly evidenceStore: EvidenceStore
  readonly lists: RolloutLists
  readonly suites = new SuiteFacts()
  readonly contents: Contents
  private readonly followers = new Map<string, { follower: Follower; users: number }>()
  private readonly ending = new Map<string, Promise<void>>()
  private readonly feeds = new Map<string, RunFeed>()
  private readonly recording = new Map<string, Promise<unknown>>()
  readonly deps: StoreDeps
  readonly paths: StorePaths
  readonly db: Database
  private readonly owned: Disposables
  private readonly advanced: Emitter<Change>

  constructor(
    deps: StoreDeps,
    paths: StorePaths,
    db: Database,
    owned: Disposables,
    advanced: Emitter<Change>,
  ) {
    this.deps = deps
    this.paths = paths
    this.db = db
    this.owned = owned
    this.advanced = advanced
    this.evidenceStore = new EvidenceStore(paths.evidence)
    this.lists = new RolloutLists(db)
    const { now, boxFiles, fetchEvidence } = deps
    this.contents = new Contents({
      db,
      evidence: this.evidenceStore,
      now,
      boxFiles,
      fetchEvidence,
      onPresent: (run) => advanced.emit({ run, seq: savedRun(db, run).rev }),
    })
    this.handlers = storeHandlers(this)
  }

  readonly evidence: Store['evidence'] = {
    put: (bytes) => this.evidenceStore.put(bytes),
    get: (sha256) => this.evidenceStore.get(sha256),
    read: async (sha256): Promise<Evidence | null> => {
      const bytes = await this.evidenceStore.get(sha256)
      return bytes && parseEvidence(bytes)
    },
  }

  runs(): string[] {
    return listRuns(this.paths)
  }

  /** Reads in what is on the disk of a run, without asking its box. A run that cannot be read is said, and does not keep the others out. */
  async takeUp(run: string): Promise<void> {
    await this.feed(run).tryCatchUp()
    await this.contents.settle(run)
    await this.feed(run).rest()
  }

  follow(run: string): Disposable {
    const { follower, release } = this.borrow(run)
    follower.start()
    return { dispose: release }
  }

  async catchUp(run: string): Promise<void> {
    if (!this.followers.has(run) && !this.deps.boxFiles(run)) return this.feed(run).catchUp()
    const { follower, release } = this.borrow(run)
    try {
      await follower.catchUp()
    } finally {
      await release()
    }
  }

  async fetchMissing(run: string): Promise<EvidenceGap[]> {
    await this.contents.fetch(run, true)
    return this.contents.gaps(run)
  }

  async fetchLast(run: string): Promise<EvidenceGap[]> {
    let gaps = await this.fetchMissing(run)
    for (let round = 0; round < lastRounds && gaps.length > 0; round += 1) {
      await new Promise((again) => setTimeout(again, lastPauseMs))
      gaps = await this.fetchMissing(run)
    }
    return gaps
  }

  evidenceGaps(run: string): EvidenceGap[] {
    return this.contents.gaps(run)
  }

  summary(run: string): RunSummary {
    return summarise(this.db, savedRun(this.db, run), this.deps.leasesHeld?.(run) ?? 0)
  }

  heartbeats(run: string): Heartbeat[] {
    return heartbeatsOf({
      state: savedRun(this.db, run).state,
      tail: this.followers.get(run)?.follower.health ?? null,
      verifier: this.deps.verifierHealth?.(run) ?? null,
      trainerAlive: this.deps.trainerAlive?.(run) ?? null,
      gaps: this.contents.missed(run),
      now: this.deps.now(),
    })
  }

  /**
   * Records of a run are written one after the other: each opens the file at the end of the last. A record that is on the disk is recorded, also
   * where the index has no room for it yet: a caller that tried again would record it twice.
   */
  record(run: string, record: ConsoleRecord): Promise<void> {
    return this.recordAll(run, [record])
  }

  async recordAll(run: string, records: readonly ConsoleRecord[]): Promise<void> {
    const before = this.recording.get(run) ?? Promise.resolve()
    const turn = before.then(() => appendRecords(this.paths.console(run), records))
    const settled = turn.catch(() => {})
    this.recording.set(run, settled)
    await turn
    if (this.recording.get(run) === settled) this.recording.delete(run)
    await this.feed(run).tryCatchUp()
  }

  consoleRecords(run: string, but: readonly ConsoleRecord['type'][] = []): Promise<ConsoleRecord[]> {
    return readRecords(this.paths.console(run), but)
  }

  bodies(run: string): BodyRow[] {
    return savedBodies(this.db, run)
  }

  programs(run: string, filter: string, perGroup = false) {
    return programsOf(this.db, savedRun(this.db, run).id, filter, perGroup)
  }

  auditShare(run: string): number {
    return savedShare(this.db, run)
  }

  passRates(suite: string) {
    return savedPassRates(this.db, suite)
  }

  regrades(run: string) {
    return savedRegrades(this.db, run)
  }

  auditGrade(run: string, task: string, bodySha256: string) {
    return savedAudit(this.db, this.paths, run, task, bodySha256)
  }

  *exportRows(run: string, filter: string): Iterable<string> {
    for (const saved of this.lists.each(run, filter)) yield JSON.stringify(rolloutRow(saved))
  }

  onDidAdvance(listener: (change: Change) => void): () => void {
    return this.advanced.on(listener)
  }

  async dispose(): Promise<void> {
    const followers = [...this.followers]
    this.followers.clear()
    await Promise.all(followers.map(([run, { follower }]) => this.end(run, follower)))
    await Promise.all(this.ending.values())
    await Promise.all([...this.feeds.values()].map((feed) => feed.idle()))
    await this.owned.dispose()
  }

  private feed(run: string): RunFeed {
    const known = this.feeds.get(run)
    if (known) return known
    const feed = new RunFeed({
      db: this.db,
      paths: this.paths,
      run,
      now: this.deps.now,
      onNotice: (notice) => this.deps.onNotice?.(notice),
      onAdvance: (change) => this.advanced.emit(change),
    })
    this.feeds.set(run, feed)
    return feed
  }

  /** One follower a run, shared by all who follow it, as it alone may append to the mirror; the last to release it ends it. */
  private borrow(run: string): { follower: Follower; release: () => Promise<void> } {
    const held = this.followers.get(run) ?? { follower: this.newFollower(run), users: 0 }
    this.followers.set(run, held)
    held.users += 1
    let released = false
    const release = async () => {
      if (released) return
      released = true
      held.users -= 1
      if (held.users > 0 || this.followers.get(run) !== held) return
      this.followers.delete(run)
      await this.end(run, held.follower)
    }
    return { follower: held.follower, release }
  }

  /** A successor waits until the mirror has been let go. */
  private async end(run: string, follower: Follower): Promise<void> {
    const ending = follower.dispose()
    this.ending.set(run, ending)
    await ending
    if (this.ending.get(run) === ending) this.ending.delete(run)
  }

  private newFollower(run: string): Follower {
    const files = this.deps.boxFiles(run)
    if (!files) throw new AppError('not_running', `${run} has no box to be followed on.`)
    return new Follower({
      run,
      mirror: this.paths.journal(run),
      files,
      feed: this.feed(run),
      contents: this.contents,
      pollMs: this.deps.pollMs ?? defaultPollMs,
      now: this.deps.now,
      onNotice: (notice) => this.deps.onNotice?.(notice),
      after: this.ending.get(run) ?? Promise.resolve(),
    })
  }
}
