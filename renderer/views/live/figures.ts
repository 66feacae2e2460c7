import { limits } from '#shared/alarms/limits.ts'
import type { MemorySample, StepRow } from '#shared/journal/state.ts'
import { stepDomain } from '../../components/charts/scale.ts'
import type { Tone } from '../../components/ui/pill.tsx'
import type { LiveData } from '../../stores/live-data.ts'
import { useLiveFocus } from '../../stores/live-focus.ts'

/** Steps looked back at for an estimate: enough to smooth, few enough to follow a run that slows down. */
const recentSteps = 8

const startMs = (row: StepRow) => (row.startedAt === null ? null : Date.parse(row.startedAt))
const finishMs = (row: StepRow) => (row.finishedAt === null ? null : Date.parse(row.finishedAt))

/** The part of `LiveData` that figures of all steps are read from. */
type Columns = Pick<LiveData, 'column'>

/** Time until the last planned step is done, ms: the median pace of the latest steps times what remains. Null where it cannot be told. */
export function timeLeftMs(data: Columns, planned: number | null): number | null {
  const recent: number[] = []
  const starts = data.column(startMs)
  for (let at = starts.length - 1; at >= 0 && recent.length <= recentSteps; at -= 1) {
    const start = starts[at]
    if (start !== null && start !== undefined) recent.unshift(start)
  }
  const paces = recent.slice(1).map((start, index) => start - (recent[index] ?? start))
  paces.sort((a, b) => a - b)
  const pace = paces[Math.floor(paces.length / 2)]
  if (pace === undefined || planned === null) return null
  return Math.max(0, planned - (data.column(finishedSum).at(-1) ?? 0)) * pace
}

const finishedSum = (row: StepRow, before = 0) => before + (row.finishedAt === null ? 0 : 1)

type Silent = { silent: number; groups: number }
const noGroups: Silent = { silent: 0, groups: 0 }

/** Up to each step, over the steps that tell. */
const silentSum = ({ silentGroups, groups }: StepRow, before = noGroups): Silent =>
  silentGroups === null || groups === null
    ? before
    : { silent: before.silent + silentGroups, groups: before.groups + groups }

/** Silent groups of all finished steps, of all their groups. */
export const silentShare = (data: Columns): Silent => data.column(silentSum).at(-1) ?? noGroups

/** Steps averaged over: those that the alarm about silent groups looks at. */
export const movingSteps = limits.window

/** Share of silent groups over the latest steps, at each step; null where none of them is known. */
export const movingSilent = (data: Columns): (number | null)[] =>
  data.column(silentSum).map((_, at, sums) => shareUpTo(sums, at))

/** The same at one place among the steps. */
export const movingSilentAt = (data: Columns, at: number): number | null =>
  shareUpTo(data.column(silentSum), at)

function shareUpTo(sums: readonly Silent[], at: number): number | null {
  const [from, to] = [sums[at - movingSteps] ?? noGroups, sums[at] ?? noGroups]
  return to.groups === from.groups ? null : (to.silent - from.silent) / (to.groups - from.groups)
}

const stageNames: Record<string, string> = {
  grpo: 'GRPO',
  final_eval: 'final evaluation',
  baseline: 'baseline',
}

/** What a run is doing, in one word, and how to take it. */
export function phaseOf(head: LiveData['head']): { label: string; tone: Tone } {
  if (!head) return { label: 'connecting', tone: 'plain' }
  switch (head.phase) {
    case 'pending':
      return { label: 'starting', tone: 'plain' }
    case 'blocked':
      return { label: 'blocked', tone: 'warn' }
    case 'running':
      return { label: stageNames[head.stage ?? ''] ?? head.stage ?? 'running', tone: 'good' }
    case 'finished':
      return head.outcome === 'completed'
        ? { label: 'completed', tone: 'accent' }
        : { label: head.outcome ?? 'finished', tone: head.outcome === 'failed' ? 'bad' : 'plain' }
  }
}

/** The step axis of everything in Live: what is zoomed to, or the whole run. */
export function useDomain(data: LiveData): [number, number] {
  return useLiveFocus((state) => state.zoom) ?? domainOf(data)
}

/** The step axis of the whole run. */
export function domainOf(data: LiveData): [number, number] {
  return stepDomain(data.steps[0]?.step ?? null, data.steps.at(-1)?.step ?? null, data.head?.planned ?? null)
}

const clockOf = (row: StepRow) => {
  const start = startMs(row)
  return start === null ? null : { step: row.step, start, finish: finishMs(row) }
}

/**
 * Where in the run a time was, as a place on the step axis: inside its step by the share of it that had passed; null before the first.
 * Times are looked up by halving, since there are thousands of both.
 */
export function stepClock(data: Columns): (atMs: number) => number | null {
  const times = data.column(clockOf).filter((time) => time !== null)
  return (atMs) => {
    let [low, high] = [0, times.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((times[middle]?.start ?? 0) <= atMs) low = middle + 1
      else high = middle
    }
    const at = times[low - 1]
    if (!at) return null
    const end = times[low]?.start ?? at.finish ?? at.start + openStepMs
    return at.step - 0.5 + Math.min(1, (atMs - at.start) / Math.max(1, end - at.start))
  }
}

/** How long a step that is still open is taken to last. */
const openStepMs = 10_000

/** The most that any device was seen to use; null where none ever said. */
export function mostUsed(samples: readonly MemorySample[]): number | null {
  let most: number | null = null
  for (const { devices } of samples)
    for (const { usedBytes, peakBytes } of devices)
      for (const bytes of [usedBytes, peakBytes])
        if (bytes !== null && (most === null || bytes > most)) most = bytes
  return most
}
