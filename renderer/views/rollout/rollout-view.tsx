import { useEffect } from 'react'
import { useRoute } from '../../app/router.ts'
import type { RolloutSort } from '../../app/routes.ts'
import { Empty, Failure, Loading } from '../../components/ui/states.tsx'
import { useSignals } from '../../stores/signals.ts'
import { useRequest } from '../../stores/use-request.ts'
import { useListCursor } from '../rollouts/list-cursor.ts'
import './rollout.css'
import { RolloutHeader } from './rollout-header.tsx'
import { RolloutPanes } from './rollout-panes.tsx'

/** One rollout: its body beside the right one, what every test said, and the evidence it rests on. */
export function RolloutView() {
  const route = useRoute()
  if (route.view !== 'rollout') return <Empty title="No rollout" />
  return <Rollout rollout={route.rollout} filter={route.filter} sort={route.sort ?? 'order'} />
}

type Props = { rollout: string; filter: string; sort: RolloutSort }

function Rollout({ rollout, filter, sort }: Props) {
  const run = rollout.split('/')[0] ?? ''
  // A graded and audited rollout changes no more; until then what the run does may concern it.
  const signal = useSignals((state) => (state.seqs[run] ?? 0) + (state.audits[run] ?? 0))
  const detail = useRequest('rollouts.get', { rollout }, signal, 2000)
  const list = { run, filter, sort, rollout }
  const next = useRequest('rollouts.neighbour', { ...list, direction: 'next' }, signal, 2000)
  const previous = useRequest('rollouts.neighbour', { ...list, direction: 'previous' }, signal, 2000)
  const position = next.value?.position ?? null
  useEffect(() => {
    if (position !== null)
      useListCursor.setState({ list: JSON.stringify({ run, filter, sort }), index: position })
  }, [position, run, filter, sort])
  return (
    <>
      <RolloutHeader
        row={detail.value?.row ?? null}
        place={{ ...list, position, total: next.value?.total ?? null }}
        next={next.value?.rollout ?? null}
        previous={previous.value?.rollout ?? null}
      />
      {detail.value !== null ? (
        <RolloutPanes key={rollout} detail={detail.value} />
      ) : detail.error !== null ? (
        <Failure error={detail.error} onRetry={detail.reload} />
      ) : (
        <Loading what="the rollout" />
      )}
    </>
  )
}
