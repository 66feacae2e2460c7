import type { RunSpec } from '#shared/domain/run.ts'
import type { RunState } from '#shared/journal/state.ts'
import { formatDuration, unknown } from '../../app/format.ts'
import { Pill } from '../../components/ui/pill.tsx'
import { stageRows } from './stage-rows.ts'

/** The stages in their order, with where the run is and what stopped it. */
export function Timeline({ state, spec }: { state: RunState; spec: RunSpec }) {
  return (
    <ol className="timeline" aria-label="Stages">
      {stageRows(state, spec).map((stage) => (
        <li key={stage.name} className={`timeline-stage timeline-${stage.tone}`}>
          <b>{stage.label}</b>
          <Pill tone={stage.tone}>{stage.state}</Pill>
          <span className="dim">{stage.tookMs === null ? unknown : formatDuration(stage.tookMs)}</span>
          {stage.says === '' ? null : <p>{stage.says}</p>}
        </li>
      ))}
    </ol>
  )
}
