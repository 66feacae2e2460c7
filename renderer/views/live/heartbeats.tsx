import type { Heartbeat } from '#shared/ipc/contract.ts'
import { formatDuration } from '../../app/format.ts'
import { useNow } from '../../components/ui/use-now.ts'
import { useLiveData } from '../../stores/live.ts'

const words: Record<Heartbeat['state'], string> = {
  live: '',
  quiet: 'quiet',
  blocked: 'silent',
  ended: 'ended',
  lost: 'lost',
}

/** Who was heard when. The mark is full while heard, hollow where not, and the words say it again. */
export function Heartbeats() {
  const data = useLiveData()
  const now = useNow() + data.clockOffsetMs
  return (
    <ul className="heartbeats" aria-label="Heartbeats">
      {data.heartbeats.map(({ name, lastAt, state, detail }) => {
        const age = lastAt === null ? null : Math.max(0, now - Date.parse(lastAt))
        const word = words[state]
        return (
          <li key={name} className={`heartbeat heartbeat-${state}`} title={detail}>
            <i aria-hidden />
            {name} {word}{' '}
            {state === 'ended' ? null : <b>{lastAt === null ? 'never' : formatDuration(age)}</b>}
          </li>
        )
      })}
    </ul>
  )
}
