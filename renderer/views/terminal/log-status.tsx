import { useEffect, useState } from 'react'
import { formatBytes, formatDuration, plural } from '../../app/format.ts'
import type { LogFeedState } from '../../components/terminal/log-feed.ts'

/** When the log was last heard, how much of it there is, and what of it is not shown. */
export function LogStatus({ log, following }: { log: LogFeedState | null; following: boolean }) {
  const now = useNow(1000)
  if (log === null || log.size === null) return null
  const age = log.lastAt === null ? null : Math.max(0, now - Date.parse(log.lastAt))
  const waiting = log.size - (log.offset ?? 0)
  return (
    <span className="log-status">
      {!following ? (
        <span className="held">held{waiting > 0 ? `, ${formatBytes(waiting)} waiting` : ''}</span>
      ) : null}
      {log.dropped > 0 ? (
        <span title="Titles, links, clipboard writes, cursor moves and the like; colours are kept">
          {plural(log.dropped, 'control sequence')} left out
        </span>
      ) : null}
      {log.before > 0 ? <span>the last {formatBytes(log.size - log.before)} of</span> : null}
      <span>{formatBytes(log.size)}</span>
      <span className={age !== null && age < 10_000 ? 'fresh' : undefined}>
        {age === null ? 'nothing written yet' : `last byte ${formatDuration(age)} ago`}
      </span>
    </span>
  )
}

function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
