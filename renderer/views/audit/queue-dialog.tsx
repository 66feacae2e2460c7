import type { Queue } from '#shared/ipc/contract.ts'
import { formatCount } from '../../app/format.ts'
import { useKeys } from '../../app/keys.ts'
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
  return (
    <Dialog open={open} onClose={onClose} title="Lists to look through" width={640}>
      <Queues run={run} />
    </Dialog>
  )
}

function Queues({ run }: { run: string }) {
  const { value: queues, error, reload } = useRequest('audit.queues', { run })
  useKeys(
    'Lists',
    Array.from({ length: 9 }, (_, index) => ({
      keys: String(index + 1),
      label: queues?.[index]?.label ?? 'list',
      inFields: true,
      run: () => {
        const queue = queues?.[index]
        if (queue && queue.rollouts > 0) go({ view: 'rollouts', run, filter: queue.filter })
      },
    })),
  )
  if (error !== null) return <Failure error={error} onRetry={reload} />
  if (queues === null) return <Loading what="the lists" />
  return (
    <ol className="queue-list">
      {queues.map((queue, index) => (
        <li key={queue.queue}>
          <Row run={run} queue={queue} nth={index + 1} />
        </li>
      ))}
    </ol>
  )
}

function Row({ run, queue, nth }: { run: string; queue: Queue; nth: number }) {
  const { label, about, filter, rollouts } = queue
  const cells = (
    <>
      <Kbd caps={[String(nth)]} />
      {label}
      <span className="dim">{about}</span>
      <span className="count">{formatCount(rollouts)}</span>
    </>
  )
  return rollouts === 0 ? <span className="queue dim">{cells}</span> : <a href={door(run, filter)}>{cells}</a>
}
