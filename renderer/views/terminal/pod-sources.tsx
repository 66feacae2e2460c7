import { useEffect, useState } from 'react'
import type { LogSourceView } from '#shared/ipc/clusters.ts'
import { formatCount, formatDuration } from '../../app/format.ts'
import { useRequest } from '../../stores/use-request.ts'

const askEveryMs = 2000

/** How the log of each container stands: whether it is followed, and when it was last heard. */
export function PodSources({ run }: { run: string }) {
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTurn((count) => count + 1), askEveryMs)
    return () => clearInterval(timer)
  }, [])
  const logs = useRequest('clusters.timeline', { run }, turn, 0).value?.logs
  if (!logs) return null
  return (
    <ul className="log-sources" aria-label="Containers">
      {logs.sources.map((source) => (
        <Source key={`${source.pod}/${source.container}`} source={source} />
      ))}
      {logs.trouble === null ? null : (
        <li className="log-fault">New pods cannot be looked for: {logs.trouble}</li>
      )}
    </ul>
  )
}

function Source({ source }: { source: LogSourceView }) {
  const { pod, container, state, detail, lastByteAt, lines } = source
  const age = lastByteAt === null ? null : Math.max(0, Date.now() - Date.parse(lastByteAt))
  const told = state === 'dropped' || state === 'waiting' || state === 'ended'
  return (
    <li>
      <span className="mono">
        {pod}/{container}
      </span>
      <span className={state === 'dropped' ? 'log-fault' : 'dim'}>
        {state}
        {told && detail !== '' ? ` (${detail})` : ''}
        {age === null ? '' : ` · last byte ${formatDuration(age)} ago`}
        {lines === 0 ? '' : ` · ${formatCount(lines)} lines`}
      </span>
    </li>
  )
}
