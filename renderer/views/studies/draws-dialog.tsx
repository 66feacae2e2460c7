import { useEffect, useMemo, useState } from 'react'
import type { StudyDraw } from '#shared/domain/study.ts'
import { formatCount, plural, unknown } from '../../app/format.ts'
import { useKeys } from '../../app/keys.ts'
import { arraySource } from '../../components/table/array-source.ts'
import { RowCache } from '../../components/table/row-cache.ts'
import { type Column, VirtualTable } from '../../components/table/virtual-table.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Failure, Loading } from '../../components/ui/states.tsx'
import { useRequest } from '../../stores/use-request.ts'
import type { Shown } from './draws-door.tsx'

type Props = { study: string; cases: Record<string, number>; shown: Shown | null; onClose: () => void }

/** The draws that a figure of the study counts, one a row as the table holds them. */
export function DrawsDialog({ study, cases, shown, onClose }: Props) {
  return (
    <Dialog open={shown !== null} onClose={onClose} title={shown?.title ?? ''} width={900}>
      {shown === null ? null : <Draws study={study} cases={cases} shown={shown} />}
    </Dialog>
  )
}

function Draws({ study, cases, shown }: { study: string; cases: Record<string, number>; shown: Shown }) {
  const { value, error, reload } = useRequest('studies.draws', { study, of: shown.of })
  if (error !== null) return <Failure error={error} onRetry={reload} />
  if (value === null) return <Loading what="the draws" />
  return (
    <>
      <p className="dim">
        {plural(value.draws.length, 'draw')}, {plural(value.programs, 'distinct program')}
      </p>
      <Rows draws={value.draws} cases={cases} />
    </>
  )
}

function Rows({ draws, cases }: { draws: StudyDraw[]; cases: Record<string, number> }) {
  const cache = useMemo(() => new RowCache(arraySource(draws)), [draws])
  useEffect(() => () => cache.dispose(), [cache])
  const [cursor, setCursor] = useState(0)
  const move = (by: number) => setCursor((at) => Math.max(0, Math.min(draws.length - 1, at + by)))
  useKeys('Draws', [
    { keys: 'j', label: 'next draw', inFields: true, run: () => move(1) },
    { keys: 'k', label: 'previous draw', inFields: true, run: () => move(-1) },
  ])
  return (
    <div className="study-draws">
      <VirtualTable
        label="Draws"
        cache={cache}
        columns={columnsOf(cases)}
        rowId={(draw) => `${draw.arm} ${draw.update} ${draw.seed} ${draw.draw}`}
        cursor={cursor}
        onCursor={setCursor}
        onOpen={() => undefined}
        empty="No draw is counted here."
      />
    </div>
  )
}

function columnsOf(cases: Record<string, number>): Column<StudyDraw>[] {
  const verifiers = Object.keys(cases).filter((name) => name !== 'audit')
  return [
    { key: 'draw', label: 'draw', width: 70, cell: ({ draw }) => draw },
    { key: 'arm', label: 'arm', width: 90, cell: ({ arm }) => arm },
    { key: 'update', label: 'update', width: 60, align: 'right', cell: ({ update }) => update },
    { key: 'seed', label: 'seed', width: 90, align: 'right', cell: ({ seed }) => seed ?? unknown },
    {
      key: 'program',
      label: 'program',
      width: 90,
      cell: ({ source }) => <span className="mono">{source ?? 'none'}</span>,
    },
    {
      key: 'tokens',
      label: 'tokens',
      width: 70,
      align: 'right',
      cell: ({ tokens, hitTokenCap }) =>
        tokens === null ? unknown : `${formatCount(tokens)}${hitTokenCap ? ', cut' : ''}`,
    },
    ...verifiers.map(
      (name): Column<StudyDraw> => ({
        key: name,
        label: name,
        width: 90,
        align: 'right',
        cell: (draw) => <Score passed={draw.verifiers[name] ?? null} of={cases[name]} />,
      }),
    ),
    {
      key: 'audit',
      label: 'audit',
      width: 90,
      align: 'right',
      cell: ({ audit }) => <Score passed={audit} of={cases.audit} />,
    },
  ]
}

function Score({ passed, of }: { passed: number | null; of: number | undefined }) {
  return (
    <span className={passed === of ? 'score-full' : undefined}>
      {passed ?? unknown}/{of ?? unknown}
    </span>
  )
}
