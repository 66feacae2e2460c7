import type { ReactNode } from 'react'
import { toast } from 'sonner'
import { neighbourOf, nextOpen } from '#shared/audit/triage.ts'
import type { AuditView, TriageList, TriageRow } from '#shared/ipc/contract.ts'
import { useKeys } from '../../app/keys.ts'
import { go } from '../../app/router.ts'
import { download } from '../../components/rollout/download.ts'
import { Program } from './program.tsx'
import { exportVerdicts } from './review.ts'
import { judgeAll, undoLast } from './verdict-store.ts'

type Props = {
  audit: AuditView
  list: TriageList
  rows: readonly TriageRow[]
  row: TriageRow
  pane: ReactNode
  onSelect: (key: string) => void
}

/** The three panes: which, how it differs, why it is wrong. */
export function Triage({ audit, list, rows, row, pane, onSelect }: Props) {
  const { run } = audit
  const move = (to: string | null) => {
    if (to !== null) onSelect(to)
  }
  useKeys('Audit', [
    { keys: 'j', label: 'next program', run: () => move(neighbourOf(rows, row.key, 1)) },
    { keys: 'k', label: 'previous program', run: () => move(neighbourOf(rows, row.key, -1)) },
    {
      keys: 'n',
      label: 'next open',
      footer: true,
      run: () => {
        const next = nextOpen(rows, row.key)
        if (next === null) toast('Every program has a verdict.')
        move(next)
      },
    },
    {
      keys: 'e',
      label: 'export',
      footer: true,
      run: () => download(`${run}-${list.queue}.jsonl`, exportVerdicts(audit, list, rows)),
    },
    {
      keys: 'Enter',
      label: 'open the rollout',
      run: () => go({ view: 'rollout', rollout: row.firstRollout, filter: list.filter }),
    },
  ])
  const backTo = (bodySha256: string | null) => {
    const found = rows.find((one) => one.bodySha256 === bodySha256)
    if (found) onSelect(found.key)
  }
  return (
    <div className="triage">
      {pane}
      <Program
        key={row.key}
        audit={audit}
        row={row}
        filter={list.filter}
        onUndo={() => void undoLast(run).then(backTo)}
        onJudgeAll={(verdict) =>
          void judgeAll(
            run,
            rows.filter((one) => one.group === row.group && one.verdict === null),
            verdict,
          )
        }
      />
    </div>
  )
}
