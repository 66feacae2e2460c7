import type { Queue } from '#shared/ipc/contract.ts'
import { formatCount } from '../../app/format.ts'
import { useKeys } from '../../app/keys.ts'
import { go, href } from '../../app/router.ts'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Kbd } from '../../components/ui/kbd.tsx'
import { Failure, Loading } from '../../components/ui/states.tsx'
import { useRequest } from '../../stores/use-request.ts'
import './repair.css'
import { listRoute } from './triage-pane.tsx'

type Props = { run: string; open: boolean; onClose: () => void }

/** The lists that want a look: each opens in the three panes, by its number. */
export function QueueDialog({ run, open, onClose }: Props) {
  return (
    <Dialog open={open} onClose={onClose} title="Lists to look through" width={640}>
      <Queues run={run} onClose={onClose} />
    </Dialog>
  )
}

function Queues({ run, onClose }: Omit<Props, 'open'>) {
  const { value: queues, error, reload } = useRequest('audit.queues', { run })
  useKeys(
    'Lists',
    Array.from({ length: 9 }, (_, index) => ({
      keys: String(index + 1),
      label: queues?.[index]?.label ?? 'list',
      inFields: true,
      run: () => {
        const queue = queues?.[index]
        if (!queue || queue.rollouts === 0) return
        onClose()
        go(listRoute(run, queue.queue, ''))
      },
    })),
  )
  if (error !== null) return <Failure error={error} onRetry={reload} />
  if (queues === null) return <Loading what="the lists" />
  return (
    <ol className="queue-list">
      {queues.map((queue, index) => (
        <li key={queue.queue}>
          <Row run={run} queue={queue} nth={index + 1} onClose={onClose} />
        </li>
      ))}
    </ol>
  )
}

type RowProps = { run: string; queue: Queue; nth: number; onClose: () => void }

function Row({ run, queue, nth, onClose }: RowProps) {
  const { label, about, rollouts } = queue
  const cells = (
    <>
      <Kbd caps={[String(nth)]} />
      {label}
      <span className="dim">{about}</span>
      <span className="count" title="rollouts">
        {formatCount(rollouts)}
      </span>
    </>
  )
  return rollouts === 0 ? (
    <span className="queue dim">{cells}</span>
  ) : (
    <a href={href(listRoute(run, queue.queue, ''))} onClick={onClose}>
      {cells}
    </a>
  )
}
