import { BellOff, Check, Undo2 } from 'lucide-react'
import { useState } from 'react'
import type { AlarmMark } from '#shared/ipc/contract.ts'
import { ask } from '../../app/core.ts'
import { plural } from '../../app/format.ts'
import { href } from '../../app/router.ts'
import { download, jsonl } from '../../components/rollout/download.ts'
import { useNow } from '../../components/ui/use-now.ts'
import { alarmsOf, routeOf, type ShownAlarm } from '../../stores/alarms.ts'
import { pullLive, useLiveData } from '../../stores/live.ts'
import { canNotify, toggleNotify } from '../../stores/notify.ts'
import { useSettings } from '../../stores/settings.ts'

/** What wants a decision, worst first; each opens its evidence, and can be acknowledged or muted for this run. */
export function AlarmList({ run }: { run: string }) {
  const data = useLiveData()
  const now = useNow() + data.clockOffsetMs
  const allowed = useSettings((state) => state.notify)
  const [withMuted, showMuted] = useState(false)
  const alarms = alarmsOf(data, now, true)
  const muted = alarms.filter(({ mark }) => mark === 'muted').length
  return (
    <section aria-label="Alarms">
      <ul className="alarms" aria-live="polite">
        {alarms
          .filter(({ mark }) => withMuted || mark !== 'muted')
          .map((alarm) => (
            <AlarmItem key={`${alarm.code} ${alarm.since}`} run={run} alarm={alarm} />
          ))}
      </ul>
      {muted > 0 && (
        <button type="button" className="alarms-muted" onClick={() => showMuted(!withMuted)}>
          {withMuted ? 'hide' : 'show'} {plural(muted, 'muted alarm')}
        </button>
      )}
      {alarms.length > 0 && (
        <button
          type="button"
          className="alarms-muted"
          onClick={() => download(`${run}-alarms.jsonl`, jsonl(alarms))}
        >
          save {plural(alarms.length, 'alarm')} as JSONL
        </button>
      )}
      {canNotify() && (
        <label className="alarms-notify">
          <input
            type="checkbox"
            checked={allowed}
            onChange={({ target }) => void toggleNotify(target.checked)}
          />{' '}
          tell the desktop of new errors
        </label>
      )}
    </section>
  )
}

const toneOf = ({ code, level }: ShownAlarm) =>
  code === 'false_acceptances' || code === 'tamper_spike' ? 'alarm' : level === 'error' ? 'bad' : 'warn'

function AlarmItem({ run, alarm }: { run: string; alarm: ShownAlarm }) {
  const { code, since, mark, title, text } = alarm
  const say = (next: AlarmMark['mark'] | null) =>
    void ask('alarms.mark', { run, code, since, mark: next }).then(pullLive, () => undefined)
  return (
    <li className={`alarm alarm-${toneOf(alarm)} ${mark === null ? '' : 'alarm-seen'}`}>
      <a href={href(routeOf(run, alarm.link))} title={evidenceOf(alarm)}>
        <b>{title}</b>
        {mark === null && <small>{text}</small>}
      </a>
      <span className="alarm-acts">
        {mark === null ? (
          <>
            <button type="button" onClick={() => say('acknowledged')} title="Acknowledge this occurrence">
              <Check size={12} aria-hidden />
              <span className="visually-hidden">Acknowledge {title}</span>
            </button>
            <button type="button" onClick={() => say('muted')} title={`Mute ${code} in this run`}>
              <BellOff size={12} aria-hidden />
              <span className="visually-hidden">Mute {code}</span>
            </button>
          </>
        ) : (
          <button type="button" onClick={() => say(null)} title={`${mark}; take that back`}>
            <Undo2 size={12} aria-hidden />
            <span className="visually-hidden">Take back: {title}</span>
          </button>
        )}
      </span>
    </li>
  )
}

const evidenceOf = ({ code, evidence }: ShownAlarm) =>
  [code, ...Object.entries(evidence).map(([name, value]) => `${name} ${value ?? 'unknown'}`)].join('\n')
