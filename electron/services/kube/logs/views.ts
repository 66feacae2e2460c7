import type { ClusterTimeline } from '#shared/ipc/clusters.ts'
import type { KubeMark } from '#shared/kube/marks.ts'
import type { LogMark } from './container-log.ts'
import type { LogFollower } from './follower.ts'

export function logViews({ state }: LogFollower): NonNullable<ClusterTimeline['logs']> {
  const sources = state.sources.map(({ lastByteAt, opened: _, ...source }) => ({
    ...source,
    lastByteAt: lastByteAt?.toISOString() ?? null,
  }))
  return { sources, trouble: state.trouble }
}

/** Of what happens to a log, what a run's record should hold; restarts and ends of pods are told by whoever watches those. */
export function logMark({ pod, container, kind, text }: LogMark, now: Date): KubeMark | null {
  const mark = { at: now.toISOString(), object: `Log of ${pod}/${container}`, text: text.replace(/\.$/, '') }
  switch (kind) {
    case 'dropped':
      return { ...mark, kind: 'cut', level: 'warning' }
    case 'resumed':
      return { ...mark, kind: 'reached', level: 'info' }
    case 'gap':
      return { ...mark, kind: 'note', level: 'warning' }
    case 'said':
      return { ...mark, kind: 'note', level: 'info' }
    case 'restarted':
    case 'ended':
    case 'gone':
      return null
  }
}
