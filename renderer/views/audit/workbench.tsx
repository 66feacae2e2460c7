import { useMemo } from 'react'
import type { AuditView, Mechanism, TriageRow } from '#shared/ipc/contract.ts'
import { useKeys } from '../../app/keys.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import { NameDialog } from './name-dialog.tsx'
import { QueueDialog } from './queue-dialog.tsx'
import { RepairDialog } from './repair-dialog.tsx'
import { explain } from './repair-store.ts'
import { SuitesDialog } from './suites-dialog.tsx'
import { judgeAll } from './verdict-store.ts'

export type Opened = 'repair' | 'name' | 'queues' | 'suites' | 'bulk'

type Props = {
  audit: AuditView
  mechanism: Mechanism | null
  rows: readonly TriageRow[]
  opened: Opened | null
  onOpen: (opened: Opened | null) => void
}

/** What can be made of the findings, each by its key: looked into, named, judged as one, turned into a better suite. */
export function Workbench({ audit, mechanism, rows, opened, onOpen }: Props) {
  const { run } = audit
  const open = useMemo(() => rows.filter((row) => row.verdict === null && row.bodySha256 !== null), [rows])
  const close = () => onOpen(null)
  useKeys('Findings', [
    { keys: 'r', label: 'repair the suite', footer: true, run: () => onOpen('repair') },
    { keys: 's', label: 'smallest witnesses', run: () => void explain(run) },
    { keys: 'c', label: 'name the mechanism', run: () => mechanism && onOpen('name') },
    { keys: 'q', label: 'other lists', footer: true, run: () => onOpen('queues') },
    { keys: 't', label: 'suites side by side', run: () => onOpen('suites') },
    { keys: 'b', label: 'say it of all listed', footer: true, run: () => onOpen('bulk') },
  ])
  return (
    <>
      <RepairDialog audit={audit} open={opened === 'repair'} onClose={close} />
      <QueueDialog run={run} open={opened === 'queues'} onClose={close} />
      <SuitesDialog audit={audit} open={opened === 'suites'} onClose={close} />
      <BulkDialog
        open={opened === 'bulk'}
        onClose={close}
        rows={open}
        onJudge={(verdict) => void judgeAll(run, open, verdict)}
      />
      {mechanism && <NameDialog run={run} mechanism={mechanism} open={opened === 'name'} onClose={close} />}
    </>
  )
}
