import type { OurObject } from '#shared/ipc/clusters.ts'
import { formatDuration } from '../../app/format.ts'
import { href } from '../../app/router.ts'
import { Pill } from '../../components/ui/pill.tsx'
import { useNow } from '../../components/ui/use-now.ts'
import { useRuns } from '../../stores/runs.ts'

type Props = { objects: OurObject[]; context: string }

/** By run: what it has here, how old that is, and the way to take it down. */
export function OurObjects({ objects, context }: Props) {
  const runs = [...new Set(objects.map((object) => object.run ?? 'unknown'))]
  if (objects.length === 0) return <p className="dim panel-text">Nothing here is ours.</p>
  return (
    <ul className="ours">
      {runs.map((run) => (
        <RunObjects
          key={run}
          run={run}
          context={context}
          objects={objects.filter((one) => (one.run ?? 'unknown') === run)}
        />
      ))}
    </ul>
  )
}

function RunObjects({ run, objects, context }: { run: string; objects: OurObject[]; context: string }) {
  const now = useNow()
  const known = useRuns((state) => state.runs?.some((one) => one.run === run) ?? false)
  const oldest = objects.map((object) => object.createdAt ?? '').sort()[0]
  const namespace = objects[0]?.namespace ?? ''
  return (
    <li>
      <header>
        <b className="mono">{run}</b>
        {known ? <Pill tone="good">of this console</Pill> : <Pill tone="warn">of no run here</Pill>}
        <span className="dim">{oldest ? `${formatDuration(now - Date.parse(oldest))} old` : ''}</span>
        {known ? (
          <a href={href({ view: 'teardown', run })}>Tear down</a>
        ) : (
          <code className="ours-command">
            ringside sweep --context {context} --namespace {namespace} --confirm-run {run}
          </code>
        )}
      </header>
      <p className="dim mono">
        {objects.map(({ kind, name, uid }) => (
          <span key={uid} title={`UID ${uid}`}>
            {kind} {name}
          </span>
        ))}
      </p>
    </li>
  )
}
