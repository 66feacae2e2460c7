import { formatCount } from '../../app/format.ts'
import { go } from '../../app/router.ts'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Kbd } from '../../components/ui/kbd.tsx'
import { Failure, Loading } from '../../components/ui/states.tsx'
import { useRequest } from '../../stores/use-request.ts'
import { door } from './doors.ts'
import './repair.css'

type Props = { run: string; open: boolean; onClose: () => void }

/** The other lists that want a look: each is a filter of the rollouts, opened by its number. */
export function QueueDialog({ run, open, onClose }: Props) {
  const queues = useRequest('audit.queues', open ? { run } : null)
  return (
    <Dialog open={open} onClose={onClose} title="Lists to look through" width={640}>
      {queues.value === null ? (
        queues.error === null ? (
          <Loading what="the lists" />
        ) : (
          <Failure error={queues.error} onRetry={queues.reload} />
        )
      ) : (
        <ol
          className="queue-list"
          onKeyDown={(event) => {
            const queue = queues.value?.[Number(event.key) - 1]
            if (queue && queue.rollouts > 0) go({ view: 'rollouts', run, filter: queue.filter })
          }}
        >
          {queues.value.map(({ queue, label, about, filter, rollouts }, index) => (
            <li key={queue}>
              {rollouts === 0 ? (
                <span className="queue dim">
                  <Kbd caps={[String(index + 1)]} />
                  {label}
                  <span>{about}</span>
                  <span className="count">0</span>
                </span>
              ) : (
                <a href={door(run, filter)} data-autofocus={index === 0 || undefined}>
                  <Kbd caps={[String(index + 1)]} />
                  {label}
                  <span className="dim">{about}</span>
                  <span className="count">{formatCount(rollouts)}</span>
                </a>
              )}
            </li>
          ))}
        </ol>
      )}
    </Dialog>
  )
}
