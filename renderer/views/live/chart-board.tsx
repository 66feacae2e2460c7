import type { ComponentType } from 'react'
import { PanelTools } from '../../components/ui/panel.tsx'
import { setZoom, useLiveFocus } from '../../stores/live-focus.ts'
import { chooseBoard, useSettings } from '../../stores/settings.ts'
import { AlarmAxis } from './alarm-axis.tsx'
import { ordered, unhide } from './board-order.ts'
import { ClusterAxis } from './cluster-axis.tsx'
import { GradingPanel, TimePanel } from './machine-panels.tsx'
import { MemoryPanel } from './memory-panel.tsx'
import { OutcomesPanel, SilentGroupsPanel } from './outcome-panels.tsx'
import type { PanelId } from './panel-csv.ts'
import { PanelButtons } from './panel-tools.tsx'
import { HeldOutPanel, PartsPanel } from './reward-panels.tsx'
import { RewardStrip } from './reward-strip.tsx'
import { LossPanel, PolicyPanel } from './row-charts.tsx'
import { TasksPanel } from './task-panel.tsx'
import { TokensPanel } from './token-panel.tsx'
import { WhenSeen } from './when-seen.tsx'

const panels: Record<PanelId, { title: string; Panel: ComponentType }> = {
  rewards: { title: 'Rewards', Panel: RewardStrip },
  outcomes: { title: 'Outcomes', Panel: OutcomesPanel },
  'held-out': { title: 'Held-out', Panel: HeldOutPanel },
  silent: { title: 'Silent groups', Panel: SilentGroupsPanel },
  parts: { title: 'Reward by part', Panel: PartsPanel },
  loss: { title: 'Loss', Panel: LossPanel },
  time: { title: 'Time a step', Panel: TimePanel },
  grading: { title: 'Grading', Panel: GradingPanel },
  memory: { title: 'Memory', Panel: MemoryPanel },
  policy: { title: 'Policy', Panel: PolicyPanel },
  tokens: { title: 'Tokens', Panel: TokensPanel },
  tasks: { title: 'Tasks', Panel: TasksPanel },
}
const all = Object.keys(panels) as PanelId[]
/** As wide as the board, whatever their place. */
const wide = new Set<PanelId>(['rewards', 'outcomes'])

/** All pictures of a run, over one step axis, in the person's order. */
export function ChartBoard() {
  const board = useSettings((state) => state.board)
  const zoom = useLiveFocus((state) => state.zoom)
  const large = all.find((id) => id === board.large)
  const shown = ordered(board, all).filter((id) => !board.hidden.includes(id))
  return (
    <>
      <AlarmAxis />
      <ClusterAxis />
      {(zoom || board.hidden.length > 0) && (
        <p className="board-bar">
          {zoom && (
            <button type="button" onClick={() => setZoom(null)}>
              steps {Math.ceil(zoom[0])} to {Math.floor(zoom[1])}: show all
            </button>
          )}
          {all
            .filter((id) => board.hidden.includes(id))
            .map((id) => (
              <button key={id} type="button" onClick={() => chooseBoard({ hidden: unhide(board, id) })}>
                show {panels[id].title}
              </button>
            ))}
        </p>
      )}
      {large ? (
        <div className="board-large">
          <Framed id={large} />
        </div>
      ) : (
        <div className="board">
          {shown.map((id) => (
            <WhenSeen key={id} className={`board-${wide.has(id) ? id : 'cell'}`}>
              <Framed id={id} />
            </WhenSeen>
          ))}
        </div>
      )}
    </>
  )
}

function Framed({ id }: { id: PanelId }) {
  const { Panel, title } = panels[id]
  return (
    <PanelTools value={<PanelButtons id={id} title={title} all={all} />}>
      <Panel />
    </PanelTools>
  )
}
