import { useState } from 'react'
import type { AuditView, Mechanism } from '#shared/ipc/contract.ts'
import { useKeys } from '../../app/keys.ts'
import { NameDialog } from './name-dialog.tsx'
import { QueueDialog } from './queue-dialog.tsx'
import { RepairDialog } from './repair-dialog.tsx'
import { explain } from './repair-store.ts'

type Props = { audit: AuditView; mechanism: Mechanism | null }

/** What can be made of the findings, each by its key: looked into, named, turned into a better suite. */
export function Workbench({ audit, mechanism }: Props) {
  const { run } = audit
  const [open, setOpen] = useState<'repair' | 'name' | 'queues' | null>(null)
  const close = () => setOpen(null)
  useKeys('Findings', [
    { keys: 'r', label: 'repair the suite', footer: true, run: () => setOpen('repair') },
    { keys: 's', label: 'smallest witnesses', run: () => void explain(run) },
    { keys: 'c', label: 'name the mechanism', run: () => mechanism && setOpen('name') },
    { keys: 'q', label: 'other lists', footer: true, run: () => setOpen('queues') },
  ])
  return (
    <>
      <RepairDialog audit={audit} open={open === 'repair'} onClose={close} />
      <QueueDialog run={run} open={open === 'queues'} onClose={close} />
      {mechanism && <NameDialog run={run} mechanism={mechanism} open={open === 'name'} onClose={close} />}
    </>
  )
}
