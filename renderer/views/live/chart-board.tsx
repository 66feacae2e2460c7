import { GradingPanel, MemoryPanel, TimePanel } from './machine-panels.tsx'
import { OutcomesPanel, SilentGroupsPanel } from './outcome-panels.tsx'
import { HeldOutPanel, PartsPanel } from './reward-panels.tsx'
import { RewardStrip } from './reward-strip.tsx'
import { LossPanel, PolicyPanel } from './row-charts.tsx'

/** All pictures of a run, over one step axis. */
export function ChartBoard() {
  return (
    <div className="board">
      <RewardStrip />
      <OutcomesPanel />
      <div className="board-small">
        <HeldOutPanel />
        <SilentGroupsPanel />
        <PartsPanel />
        <LossPanel />
        <TimePanel />
        <GradingPanel />
        <MemoryPanel />
        <PolicyPanel />
      </div>
    </div>
  )
}
