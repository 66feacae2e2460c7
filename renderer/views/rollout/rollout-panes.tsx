import { useMemo, useState } from 'react'
import type { RolloutDetail } from '#shared/ipc/contract.ts'
import { BodyPane } from '../../components/rollout/body-pane.tsx'
import { type TestLine, testLines } from '../../components/rollout/test-lines.ts'
import { DetailTabs } from './detail-tabs.tsx'
import { SidePane } from './side-pane.tsx'

export type ShownTest = { suite: 'training' | 'audit'; line: TestLine }

/** The body above, what was said of it below, and at the right the case that shows it best and all that names it. */
export function RolloutPanes({ detail }: { detail: RolloutDetail }) {
  const training = useMemo(() => testLines(detail.grade, detail.cases.training), [detail])
  const audit = useMemo(() => testLines(detail.auditGrade, detail.cases.audit), [detail])
  const [chosen, setChosen] = useState<ShownTest | null>(null)
  return (
    <div className="rollout-panes">
      <BodyPane detail={detail} />
      <DetailTabs detail={detail} training={training} audit={audit} chosen={chosen} onChoose={setChosen} />
      <SidePane detail={detail} training={training} audit={audit} chosen={chosen} />
    </div>
  )
}
