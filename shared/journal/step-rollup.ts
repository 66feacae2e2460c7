import { type Grade, isGraded, type Status } from '../domain/grade.ts'
import type { EventOf } from './events.ts'
import type { StepRow } from './state.ts'

/** One rollout of a step, as far as the step's row needs it. */
export type Member = {
  group: number
  status: Status | null
  total: number | null
  components: Record<string, number | null>
  tokens: number | null
  truncated: boolean
  gradeMs: number | null
  queueMs: number | null
  cold: boolean
  task: string
  body: string | null
}

/** Keeps the rollouts of the step in hand and writes its row; a rollout counts once, by its last grade. */
export class StepRollup {
  readonly row: StepRow
  private readonly members: Map<string, Member>
  private stale = false
  /** What a trainer said of rewards whose rollouts it does not tell of. */
  private told: { mean: number | null; std: number | null } | null = null

  /** @param members rollouts by id that the row already counts. */
  constructor(row: StepRow, members: Map<string, Member> = new Map()) {
    this.row = row
    this.members = members
  }

  /** Brings the row up to date and gives the rollouts away, to be kept until the step is opened again. */
  close(): Map<string, Member> {
    this.settle()
    return this.members
  }

  start(event: EventOf<'step.started'>): void {
    this.row.startedAt ??= event.at
    this.row.prompts = event.prompts
    this.row.groups ??= event.prompts.length
  }

  /** @returns whether the rollout is new to the step. */
  generated(event: EventOf<'rollout.generated'>): boolean {
    const known = this.members.get(event.rollout)
    this.members.set(event.rollout, {
      ...(known ?? silent(event.rollout)),
      group: event.group ?? groupOf(event.rollout),
      task: event.task,
      tokens: event.tokens,
      truncated: event.truncated,
    })
    this.row.generated = this.members.size
    this.stale = true
    return known === undefined
  }

  /** @returns the status that the rollout had before, null where it had none, and whether the rollout is new to the step. */
  graded(event: EventOf<'rollout.graded'>): { before: Status | null; isNew: boolean } {
    const known = this.members.get(event.rollout)
    const isSilent = event.grade.reward === null
    this.members.set(event.rollout, {
      ...(known ?? silent(event.rollout)),
      status: event.grade.status,
      // A trainer that puts a number beside a silent grade is not believed: that number came from nowhere.
      total: isSilent ? null : event.total,
      components: isSilent ? {} : event.components,
      gradeMs: executionMs(event.grade),
      queueMs: event.grade.queueMs,
      cold: event.grade.cache === 'cold',
      body: event.grade.bodySha256,
    })
    this.row.lastGradeAt = event.at
    this.row.generated = this.members.size
    this.stale = true
    return { before: known?.status ?? null, isNew: known === undefined }
  }

  finish(event: EventOf<'step.finished'>): void {
    const { row } = this
    row.finishedAt = event.at
    row.loss = event.loss
    row.gradNorm = event.gradNorm
    row.kl = event.kl
    row.entropy = event.entropy
    row.lr = event.lr
    row.parameterDelta = event.parameterDelta
    row.silentGroups = event.silentGroups
    row.groups = event.groups
    row.stepMs = event.stepMs
    this.told = { mean: event.rewardMean, std: event.rewardStd }
    this.stale = true
    this.settle()
  }

  /** Brings the row up to date. Called when the row is read, not at every event: a step of thousands would be quadratic. */
  settle(): void {
    if (!this.stale) return
    this.stale = false
    const { row } = this
    row.tokensMean = mean(this.values((member) => member.tokens))
    row.truncated = this.count((member) => member.truncated)
    row.byStatus = {}
    for (const { status } of this.members.values()) {
      if (status !== null) row.byStatus[status] = (row.byStatus[status] ?? 0) + 1
    }
    const totals = this.values((member) => member.total)
    const told = this.members.size === 0 ? this.told : null
    row.rewardMean = told ? told.mean : mean(totals)
    row.rewardStd = told ? told.std : sampleStd(totals)
    const rewards = this.values(({ total, components }) => components.tests ?? total)
    row.rewardMin = rewards.length === 0 ? null : rewards.reduce((a, b) => Math.min(a, b))
    row.rewardMax = rewards.length === 0 ? null : rewards.reduce((a, b) => Math.max(a, b))
    const names = new Set([...this.members.values()].flatMap((member) => Object.keys(member.components)))
    row.components = Object.fromEntries(
      [...names].sort().map((name) => [name, mean(this.values((member) => member.components[name] ?? null))]),
    )
    row.spreadShares = Object.fromEntries([...names].sort().map((name) => [name, this.spreadShare(name)]))
    const times = this.values((member) => member.gradeMs).sort((a, b) => a - b)
    row.gradeMsP50 = quantile(times, 0.5)
    row.gradeMsP95 = quantile(times, 0.95)
    row.queueMsP95 = quantile(
      this.values((member) => member.queueMs).sort((a, b) => a - b),
      0.95,
    )
    row.coldGrades = this.count((member) => member.cold)
    this.summariseBodies()
    if (row.finishedAt !== null) this.summariseGroups()
  }

  private summariseBodies(): void {
    const { row } = this
    row.tasks = {}
    const bodies = new Set<string>()
    row.bodies = 0
    const waiting: string[] = []
    for (const [id, { status, task, body }] of this.members) {
      if (body !== null) {
        row.bodies += 1
        bodies.add(body)
      }
      if (status === null) waiting.push(id)
      else if (isGraded(status)) {
        const of = row.tasks[task] ?? { passed: 0, graded: 0 }
        row.tasks[task] = { passed: of.passed + (status === 'passed' ? 1 : 0), graded: of.graded + 1 }
      }
    }
    row.distinctBodies = bodies.size
    row.waitsFor = waiting.length === 1 ? (waiting[0] ?? null) : null
  }

  private summariseGroups(): void {
    const groups = groupBy([...this.members.values()], (member) => member.group)
    const silent = [...groups.values()].filter((members) =>
      members.every((member) => member.total !== null && member.total === members[0]?.total),
    )
    this.row.allPassGroups = silent.filter((members) =>
      members.every((member) => member.status === 'passed'),
    ).length
    this.row.allFailGroups = silent.filter((members) =>
      members.every((member) => (member.components.tests ?? member.total) === 0),
    ).length
  }

  private spreadShare(name: string): number | null {
    const pairs = [...this.members.values()].flatMap(({ total, components }) => {
      const part = components[name] ?? null
      return total === null || part === null ? [] : [{ total, part }]
    })
    const totalMean = mean(pairs.map((pair) => pair.total))
    const partMean = mean(pairs.map((pair) => pair.part))
    if (totalMean === null || partMean === null) return null
    const variance = pairs.reduce((sum, { total }) => sum + (total - totalMean) ** 2, 0)
    if (variance < 1e-12) return null
    return pairs.reduce((sum, { total, part }) => sum + (total - totalMean) * (part - partMean), 0) / variance
  }

  private values(pick: (member: Member) => number | null): number[] {
    return [...this.members.values()].map(pick).filter((value) => value !== null)
  }

  private count(holds: (member: Member) => boolean): number {
    return [...this.members.values()].filter(holds).length
  }
}

/** Build and test time of a grade that was executed for this rollout, ms; null where it was replayed or nothing ran. */
export function executionMs({ buildMs, testMs, cache }: Grade): number | null {
  if (cache === 'replayed' || (buildMs === null && testMs === null)) return null
  return (buildMs ?? 0) + (testMs ?? 0)
}

const groupOf = (rollout: string): number => Number(rollout.split('/')[2] ?? 0)

const silent = (rollout: string): Member => ({
  group: groupOf(rollout),
  status: null,
  total: null,
  components: {},
  tokens: null,
  truncated: false,
  gradeMs: null,
  queueMs: null,
  cold: false,
  task: '',
  body: null,
})

function groupBy<K, V>(items: V[], key: (item: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>()
  for (const item of items) {
    const group = groups.get(key(item))
    if (group) group.push(item)
    else groups.set(key(item), [item])
  }
  return groups
}

const mean = (values: number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

function sampleStd(values: number[]): number | null {
  const m = mean(values)
  if (m === null || values.length < 2) return null
  return Math.sqrt(values.reduce((sum, value) => sum + (value - m) ** 2, 0) / (values.length - 1))
}

/** Nearest-rank quantile of sorted values. */
const quantile = (sorted: number[], q: number): number | null =>
  sorted.length === 0 ? null : (sorted[Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1)] ?? null)
