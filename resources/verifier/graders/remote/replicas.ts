import type { ReplicaHealth } from '#shared/domain/replica.ts'
import { Backends } from './backends.ts'
import { orderFor } from './order.ts'
import { type Expected, Replica } from './replica.ts'

/** A look costs one small request a replica; a body that waits for a lost one waits a few of these. */
const lookEveryMs = 1_000

/** The replicas of a run's verifier as they come and go, each looked at again and again. */
export class Replicas {
  private readonly backends: Backends
  private readonly expected: Expected
  private readonly log: (text: string) => void
  private readonly byUid = new Map<string, Replica>()
  private readonly ending = new AbortController()
  private timer: NodeJS.Timeout | null = null
  private looking: Promise<void> | null = null
  private said = ''

  constructor(path: string, expected: Expected, log: (text: string) => void) {
    this.backends = new Backends(path)
    this.expected = expected
    this.log = log
  }

  start(): Promise<void> {
    return this.loop()
  }

  /** Takes up what the file says now, and asks each how it is. One look at a time. */
  look(): Promise<void> {
    this.looking ??= this.lookOnce().finally(() => {
      this.looking = null
    })
    return this.looking
  }

  all(): Replica[] {
    return [...this.byUid.values()]
  }

  /**
   * Where a body is to go: of its places, best first, the first that has a worker free; where all are busy, the one with the least in hand.
   * Null where none may be used.
   */
  pick(bodySha256: string, not: ReadonlySet<string>): Replica | null {
    const usable = this.all().filter((replica) => replica.usable && !not.has(replica.backend.uid))
    const order = orderFor(
      bodySha256,
      usable.map((replica) => replica.backend.uid),
    )
    const ordered = order.flatMap((uid) => this.byUid.get(uid) ?? [])
    const free = ordered.find((replica) => replica.inHand < replica.capacity)
    return free ?? [...ordered].sort((a, b) => a.inHand - b.inHand)[0] ?? null
  }

  /** Why nothing can be graded right now; null where something can. */
  waitingFor(): string | null {
    const all = this.all()
    if (all.some((replica) => replica.usable)) return null
    const why = all.map((replica) => `${replica.backend.id}: ${replica.problem}`)
    const note = this.backends.read().note
    return [...(note === null ? [] : [note]), ...why].join('; ') || 'there is no verifier'
  }

  health(): ReplicaHealth[] {
    return this.all().map(({ backend, health, problem, drifted, inHand, graded }) => ({
      id: backend.id,
      uid: backend.uid,
      usable: problem === null,
      problem,
      drifted,
      inHand,
      graded,
      commit: health?.commit ?? null,
      instance: health?.instance ?? null,
      warm: health ? health.workers.filter((worker) => worker.cache === 'warm').length : null,
      workers: health?.workers.length ?? null,
    }))
  }

  async dispose(): Promise<void> {
    this.ending.abort()
    if (this.timer) clearTimeout(this.timer)
    await this.looking
  }

  private async loop(): Promise<void> {
    await this.look()
    if (!this.ending.signal.aborted) this.timer = setTimeout(() => void this.loop(), lookEveryMs)
  }

  private async lookOnce(): Promise<void> {
    const { backends } = this.backends.read()
    const current = new Set(backends.map((backend) => backend.uid))
    for (const [uid, replica] of this.byUid) {
      if (current.has(uid)) continue
      replica.giveUp()
      this.byUid.delete(uid)
    }
    for (const backend of backends) {
      const known = this.byUid.get(backend.uid)
      // The same pod by another address: a forward was made anew.
      if (known?.backend.url === backend.url && known.backend.token === backend.token) continue
      known?.giveUp()
      const made = new Replica(backend, this.expected)
      made.graded = known?.graded ?? 0
      this.byUid.set(backend.uid, made)
    }
    await Promise.all(this.all().map((replica) => replica.look(this.ending.signal)))
    this.tell()
  }

  private tell(): void {
    const now = this.all()
      .map((replica) => `${replica.backend.id}: ${replica.problem ?? 'usable'}`)
      .join('; ')
    if (now === this.said) return
    this.said = now
    this.log(`replicas: ${now || 'none'}`)
  }
}
