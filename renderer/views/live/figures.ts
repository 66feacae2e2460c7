import { limits } from '#shared/alarms/limits.ts'
import type { MemorySample, StepRow } from '#shared/journal/state.ts'
import { stepDomain } from '../../components/charts/scale.ts'
import type { Tone } from '../../components/ui/pill.tsx'
import type { LiveData } from '../../stores/live-data.ts'
import { useLiveFocus } from '../../stores/live-focus.ts'

/** Steps looked back at for an estimate: enough to smooth, few enough to follow a run that slows down. */
const recentSteps = 8

/** Time until the last planned step is done, ms: the median pace of the latest steps times what remains. Null where it cannot be told. */
export function timeLeftMs(steps: StepRow[], planned: number | null): number | null {
  const starts = steps.flatMap((row) => (row.startedAt === null ? [] : [Date.parse(row.startedAt)]))
  const recent = starts.slice(-recentSteps - 1)
  const paces = recent.slice(1).map((start, index) => start - (recent[index] ?? start))
  paces.sort((a, b) => a - b)
  const pace = paces[Math.floor(paces.length / 2)]
  if (pace === undefined || planned === null) return null
  const done = steps.filter((row) => row.finishedAt !== null).length
  return Math.max(0, planned - done) * pace
}

/** Silent groups of all finished steps, of all their groups. */
export function silentShare(steps: StepRow[]): { silent: number; groups: number } {
  let silent = 0
  let groups = 0
  for (const row of steps) {
    if (row.silentGroups === null || row.groups === null) continue
    silent += row.silentGroups
    groups += row.groups
  }
  return { silent, groups }
}

/** Steps averaged over: those that the alarm about silent groups looks at. */
export const movingSteps = limits.window

/** Share of silent groups over the latest steps, at each step up to `upTo`; null where none of them is known. */
export function movingSilent(
  steps: readonly StepRow[],
  upTo = Number.POSITIVE_INFINITY,
): { step: number; value: number | null }[] {
  let silent = 0
  let groups = 0
  const add = (row: StepRow | undefined, sign: 1 | -1) => {
    if (!row || row.silentGroups === null || row.groups === null) return
    silent += sign * row.silentGroups
    groups += sign * row.groups
  }
  return steps.flatMap((row, at) => {
    add(row, 1)
    add(steps[at - movingSteps], -1)
    return row.step > upTo ? [] : [{ step: row.step, value: groups === 0 ? null : silent / groups }]
  })
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

/**
 * Where in the run a time was, as a place on the step axis: inside its step by the share of it that had passed; null before the first.
 * Steps are read once and times looked up by halving, since there are thousands of both.
 */
export function stepClock(steps: StepRow[]): (atMs: number) => number | null {
  const times = steps.flatMap((row) =>
    row.startedAt === null
      ? []
      : [
          {
            step: row.step,
            start: Date.parse(row.startedAt),
            finish: row.finishedAt ? Date.parse(row.finishedAt) : null,
          },
        ],
  )
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

/** Of a step's bodies that the audit has judged, how many it passes; null where it has judged none. */
export function auditShare(data: LiveData, step: number): { passed: number; judged: number } | null {
  const before = data.judgedBefore(step)
  if (before) return before
  let passed = 0
  let judged = 0
  for (const point of data.pointsOf(step)) {
    if (point.a !== null) {
      judged += 1
      if (point.a) passed += 1
    } else if (point.r !== null && point.s !== 'passed') {
      // A body that could not be taken or was stopped has nothing to audit: it fails there too.
      if (point.s === 'no_answer' || point.s === 'tampered' || point.s === 'build_failed') judged += 1
    }
  }
  return judged === 0 ? null : { passed, judged }
}

/** The most that any device was seen to use; null where none ever said. */
export function mostUsed(samples: readonly MemorySample[]): number | null {
  const seen = samples.flatMap(({ devices }) =>
    devices.flatMap(({ usedBytes, peakBytes }) => [usedBytes ?? [], peakBytes ?? []].flat()),
  )
  return seen.length === 0 ? null : seen.reduce((most, bytes) => Math.max(most, bytes))
}
