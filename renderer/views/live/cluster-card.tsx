import type { ClusterTimeline, ReplicaView } from '#shared/ipc/clusters.ts'
import { formatCount, formatDuration } from '../../app/format.ts'
import { href } from '../../app/router.ts'
import { Pill, type Tone } from '../../components/ui/pill.tsx'
import { useNow } from '../../components/ui/use-now.ts'
import { useLiveData } from '../../stores/live.ts'
import './cluster.css'
import { useTimeline } from './use-timeline.ts'

/** The verifier's replicas in their cluster and what happened to them last. Not there where the verifier is on this machine. */
export function ClusterCard({ run }: { run: string }) {
  const timeline = useTimeline()
  const placement = useLiveData().head?.spec?.verifier.placement
  if (!placement || !timeline) return null
  return (
    <section className="card" aria-labelledby="cluster-title">
      <h2 id="cluster-title" className="card-title">
        Pods <small className="mono">{placement.cluster.namespace}</small>
      </h2>
      {timeline.drift ? (
        <p className="cluster-drift" role="alert">
          Not what the run is pinned to: {timeline.drift}
        </p>
      ) : null}
      <Watching timeline={timeline} />
      <ul className="replicas">
        {timeline.replicas.map((replica) => (
          <Replica key={replica.uid} replica={replica} />
        ))}
      </ul>
      <Latest timeline={timeline} />
      <p className="finished-doors">
        <a href={href({ view: 'terminal', run })}>Logs</a>
        <a href={href({ view: 'teardown', run })}>Tear down</a>
      </p>
    </section>
  )
}

const tones: Record<ReplicaView['state'], Tone> = {
  ready: 'good',
  starting: 'plain',
  failing: 'bad',
  drifted: 'bad',
  gone: 'warn',
}

function Replica({ replica }: { replica: ReplicaView }) {
  const { pod, state, detail, restarts, load, graded, warm, commit } = replica
  return (
    <li>
      <div>
        <span className="mono replica-name" title={`${pod}\nUID ${replica.uid}`}>
          …{pod.slice(-11)}
        </span>
        <Pill tone={tones[state]}>{state}</Pill>
        <span className="mono dim">{commit?.slice(0, 7) ?? '–'}</span>
      </div>
      <small className="dim">
        {load === null ? '–' : formatCount(load)} in hand · {graded === null ? '–' : formatCount(graded)}{' '}
        graded · {warm === null ? '–' : `${warm.done} of ${warm.total}`} warm · {formatCount(restarts)}{' '}
        restarts
      </small>
      {detail === '' ? null : <small className="replica-detail">{detail}</small>}
    </li>
  )
}

function Watching({ timeline }: { timeline: ClusterTimeline }) {
  const now = useNow()
  const { watch } = timeline
  if (watch === null) return <p className="dim">No console attends to it at present.</p>
  if (watch.state === 'live') return null
  const ms = Math.max(0, now - Date.parse(watch.since))
  return (
    <p className="cluster-drift" role="status">
      The cluster has not told anything for {formatDuration(ms)}. {watch.reason}
    </p>
  )
}

function Latest({ timeline }: { timeline: ClusterTimeline }) {
  const latest = timeline.marks.slice(-5).reverse()
  return (
    <ol className="cluster-marks" aria-label="Latest in the cluster">
      {latest.map((mark) => (
        <li
          key={`${mark.at} ${mark.kind} ${mark.object} ${mark.text}`}
          className={`cluster-mark-${mark.level}`}
        >
          <time dateTime={mark.at}>{mark.at.slice(11, 19)}</time> {mark.text}
        </li>
      ))}
    </ol>
  )
}
