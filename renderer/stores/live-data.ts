import type { VerifierHealth } from '#shared/domain/verifier.ts'
import type { AlarmMark, Heartbeat, LiveDelta, LivePoint } from '#shared/ipc/contract.ts'
import type { MemorySample, StepRow } from '#shared/journal/state.ts'
import { RowColumns } from './row-columns.ts'

/** Samples of memory kept; more than two points a pixel of any screen, and older ones are thinned to every second. */
const memoryKept = 4096

/**
 * Marks kept, of the latest steps: some 15 MB, and more than a strip has room for. Steps before them are drawn from their rows, so the window stays
 * as large as it is however long the run.
 */
export const pointsKept = 20_000

export type LiveHead = LiveDelta['state']

/**
 * What the window knows of the run it watches. Held outside React: rows and points are read by painters at a redraw, and only `version`
 * tells that something moved.
 */
export class LiveData {
  /** Where the next pull goes on; before any, so low that the core starts from the beginning. */
  seq = -1
  version = 0
  head: LiveHead | null = null
  alarmMarks: AlarmMark[] = []
  heartbeats: Heartbeat[] = []
  verifier: VerifierHealth | null = null
  /** When the verifier last answered, by the core's clock, ms; null before it ever did. */
  verifierHeardMs: number | null = null
  /** Starts of the verifier seen by this window, less one. */
  restarts = 0
  /** The core's clock less the window's, ms. */
  clockOffsetMs = 0
  steps: StepRow[] = []
  memory: MemorySample[] = []
  /** Among the marks kept. */
  falseAcceptances: LivePoint[] = []
  /** Of the whole run. */
  falseAccepted: LiveDelta['falseAccepted'] = { count: 0, firstStep: null }
  private readonly columns = new RowColumns()
  /** The least row that the reply in hand touched. */
  private touched = Number.POSITIVE_INFINITY
  /** Of steps from before the marks that are kept, and of those that have marks. */
  private judged = new Map<number, { passed: number; judged: number }>()
  private shares = new Map<number, { passed: number; judged: number } | null>()
  private byStep = new Map<number, LivePoint[]>()
  private byId = new Map<string, LivePoint>()
  private instances = new Set<string>()

  /** Takes in one reply: rows and points replace those of the same key. @param localNow the window's clock when it came, ms. */
  apply(delta: LiveDelta, localNow: number): void {
    if (delta.reset) this.clear()
    this.seq = delta.seq
    this.head = delta.state
    this.alarmMarks = delta.alarmMarks
    this.falseAccepted = delta.falseAccepted
    this.heartbeats = delta.heartbeats
    this.verifier = delta.verifier
    if (delta.verifier) {
      this.instances.add(delta.verifier.instance)
      this.verifierHeardMs = Date.parse(delta.now)
    }
    this.restarts = Math.max(0, this.instances.size - 1)
    this.clockOffsetMs = Date.parse(delta.now) - localNow
    for (const { step, ...share } of delta.judged) this.judged.set(step, share)
    for (const row of delta.steps) this.putStep(row)
    if (this.touched < Number.POSITIVE_INFINITY) this.columns.changed(this.touched)
    this.touched = Number.POSITIVE_INFINITY
    for (const point of delta.points) this.putPoint(point)
    this.dropOldest()
    this.memory.push(...delta.memory)
    if (this.memory.length > memoryKept) this.memory = this.memory.filter((_, index) => index % 2 === 1)
    this.version += 1
  }

  /** One figure of every step, in the order of `steps`; see `RowColumns.column`. */
  column<T>(of: (row: StepRow, before: T | undefined) => T): readonly T[] {
    return this.columns.column(this.steps, of)
  }

  /** See `RowColumns.bringUp`. */
  bringUp(): void {
    this.columns.bringUp(this.steps)
  }

  get pointCount(): number {
    return this.byId.size
  }

  point(id: string): LivePoint | null {
    return this.byId.get(id) ?? null
  }

  step(step: number): StepRow | null {
    const row = this.steps[this.placeOf(step)]
    return row?.step === step ? row : null
  }

  /** Points of a step, in order of group and index. */
  pointsOf(step: number): readonly LivePoint[] {
    return this.byStep.get(step) ?? []
  }

  /** Steps that have points, ascending. */
  stepsWithPoints(): number[] {
    return [...this.byStep.keys()].sort((a, b) => a - b)
  }

  /** The point after (or before) `id` in order of step, group and index; the latest where `id` is null or unknown. */
  neighbour(id: string | null, direction: 1 | -1): LivePoint | null {
    const steps = this.stepsWithPoints()
    const from = id === null ? null : this.point(id)
    if (!from) {
      const latest = steps.at(-1)
      return (latest === undefined ? null : this.pointsOf(latest).at(-1)) ?? null
    }
    const siblings = this.pointsOf(from.step)
    const inStep = siblings[siblings.findIndex((point) => point.id === id) + direction]
    if (inStep) return inStep
    const next = steps[steps.indexOf(from.step) + direction]
    return (next === undefined ? null : this.pointsOf(next).at(direction === 1 ? 0 : -1)) ?? null
  }

  private clear(): void {
    this.steps = []
    this.columns.changed(0)
    this.memory = []
    this.falseAcceptances = []
    this.judged.clear()
    this.shares.clear()
    this.byStep.clear()
    this.byId.clear()
  }

  /** Of a step's bodies that the audit has judged, how many it passes; null where it has judged none. */
  auditShare(step: number): { passed: number; judged: number } | null {
    const points = this.byStep.get(step)
    if (points === undefined) return this.judged.get(step) ?? null
    const known = this.shares.get(step)
    if (known !== undefined) return known
    const share = judgedShare(points)
    this.shares.set(step, share)
    return share
  }

  /** Whole steps, the oldest first: half a step would be drawn as one that was small. */
  private dropOldest(): void {
    if (this.byId.size <= pointsKept) return
    for (const step of this.stepsWithPoints()) {
      if (this.byId.size <= pointsKept) break
      const points = this.byStep.get(step) ?? []
      const share = this.auditShare(step)
      if (share) this.judged.set(step, share)
      this.shares.delete(step)
      for (const { id } of points) this.byId.delete(id)
      this.byStep.delete(step)
    }
    const first = this.stepsWithPoints()[0] ?? 0
    this.falseAcceptances = this.falseAcceptances.filter(({ step }) => step >= first)
  }

  /** Index of the first row at or after `step`. */
  placeOf(step: number): number {
    let [low, high] = [0, this.steps.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.steps[middle]?.step ?? 0) < step) low = middle + 1
      else high = middle
    }
    return low
  }

  private putStep(row: StepRow): void {
    const at = this.placeOf(row.step)
    this.touched = Math.min(this.touched, at)
    if (this.steps[at]?.step === row.step) this.steps[at] = row
    else this.steps.splice(at, 0, row)
  }

  private putPoint(point: LivePoint): void {
    const held = this.byId.get(point.id)
    const wasFalse = held ? isFalseAcceptance(held) : false
    const siblings = this.byStep.get(point.step) ?? []
    if (held) siblings[siblings.indexOf(held)] = point
    else {
      const at = siblings.findLastIndex(
        (other) => other.g < point.g || (other.g === point.g && other.i < point.i),
      )
      siblings.splice(at + 1, 0, point)
      this.byStep.set(point.step, siblings)
    }
    this.byId.set(point.id, point)
    this.shares.delete(point.step)
    if (isFalseAcceptance(point) && !wasFalse) this.falseAcceptances.push(point)
    if (!isFalseAcceptance(point) && wasFalse)
      this.falseAcceptances = this.falseAcceptances.filter((other) => other.id !== point.id)
  }
}

/** Of bodies, how many the audit passes of those that it has judged; null where it has judged none. */
function judgedShare(points: readonly LivePoint[]): { passed: number; judged: number } | null {
  let passed = 0
  let judged = 0
  for (const { a, r, s } of points) {
    if (a !== null) {
      judged += 1
      if (a) passed += 1
    } else if (r !== null && (s === 'no_answer' || s === 'tampered' || s === 'build_failed')) {
      // A body that could not be taken or was stopped has nothing to audit: it fails there too.
      judged += 1
    }
  }
  return judged === 0 ? null : { passed, judged }
}

/** Accepted by the run's verifier, rejected by the audit. */
export const isFalseAcceptance = (point: LivePoint): boolean => point.s === 'passed' && point.a === false
