import type { Heartbeat } from '#shared/ipc/contract.ts'
import { formatDuration } from '../../app/format.ts'
import { useNow } from '../../components/ui/use-now.ts'
import { useLiveData } from '../../stores/live.ts'

function wordOf({ name, state }: Heartbeat): string {
  switch (state) {
    case 'live':
      return ''
    case 'blocked':
      return name === 'trainer' ? 'waits' : 'silent'
    default:
      return state
  }
}

/** Who was heard when. The mark is full while heard, hollow where not, and the words say it again. */
export function Heartbeats() {
  const data = useLiveData()
  const now = useNow() + data.clockOffsetMs
  return (
    <ul className="heartbeats" aria-label="Heartbeats">
      {data.heartbeats.map((beat) => {
        const { name, lastAt, state, detail } = beat
        const age = lastAt === null ? null : Math.max(0, now - Date.parse(lastAt))
        return (
          <li key={name} className={`heartbeat heartbeat-${state}`} title={detail}>
            <i aria-hidden />
            {name} <span className="heartbeat-word">{wordOf(beat)}</span>{' '}
            {state === 'ended' || age === null ? null : <b>{formatDuration(Math.max(100, age))}</b>}
          </li>
        )
      })}
    </ul>
  )
}
