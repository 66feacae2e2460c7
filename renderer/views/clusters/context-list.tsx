import type { ContextView } from '#shared/ipc/clusters.ts'
import { Pill } from '../../components/ui/pill.tsx'

type Props = { contexts: ContextView[]; chosen: string | null; onChoose: (context: string) => void }

/** Every context, with the colour of the cluster that it leads to; two that lead to one cluster have one colour. */
export function ContextList({ contexts, chosen, onChoose }: Props) {
  return (
    <ul className="context-list" aria-label="Contexts">
      {contexts.map((one) => (
        <li key={one.context}>
          <button
            type="button"
            className="context"
            aria-pressed={one.context === chosen}
            disabled={one.key === null}
            onClick={() => onChoose(one.context)}
          >
            <i className={`cluster-dot cluster-hue-${one.colour ?? 'none'}`} aria-hidden />
            <b>{one.context}</b>
            <span className="context-where mono">{one.server ?? 'leads nowhere'}</span>
            <span className="context-marks">
              {one.current ? <span className="dim">current</span> : null}
              {one.key === null ? null : one.writable ? (
                <Pill tone="warn">may be changed</Pill>
              ) : (
                <Pill>read-only</Pill>
              )}
            </span>
          </button>
          {one.problem ? <p className="cluster-problem">{one.problem}</p> : null}
        </li>
      ))}
    </ul>
  )
}
