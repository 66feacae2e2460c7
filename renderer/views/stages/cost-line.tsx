import type { RunSpec } from '#shared/domain/run.ts'
import type { RunState } from '#shared/journal/state.ts'
import { useNow } from '../../components/ui/use-now.ts'
import { costOf } from './cost.ts'

type Props = { state: RunState; spec: RunSpec }

/** What the box has cost since the run began, by the rate that was typed, and the last warning that it idled. */
export function CostLine({ state, spec }: Props) {
  const cost = costOf(state, spec, useNow())
  if (cost === null) return null
  return (
    <section className="cost" aria-label="Cost">
      <span className="num">{cost.text}</span>
      {cost.idle === null ? null : (
        <p className="cost-idle" role="status">
          {cost.idle}
        </p>
      )}
    </section>
  )
}
