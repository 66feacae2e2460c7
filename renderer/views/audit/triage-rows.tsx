import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef } from 'react'
import type { TriageGroup, TriageRow } from '#shared/ipc/contract.ts'
import { formatCount, plural } from '../../app/format.ts'
import { Mark } from '../../components/marks/mark.tsx'
import { rolloutName } from '../../components/rollout/rollout-name.ts'
import { VerdictPill } from './verdict-pill.tsx'

type Props = {
  groups: TriageGroup[]
  rows: readonly TriageRow[]
  selected: string | null
  onSelect: (key: string) => void
}

type Line = { kind: 'group'; group: TriageGroup } | { kind: 'row'; row: TriageRow }

/** As tall as their styles make them: the list is laid out before a line of it exists. */
const heights = { group: 50, row: 30 }

/** Programs under the heading of their group. Only what is in view exists, so the list may have any number of both. */
export function TriageRows({ groups, rows, selected, onSelect }: Props) {
  const lines = useMemo(() => linesOf(groups, rows), [groups, rows])
  const scroller = useRef<HTMLElement>(null)
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heights[lines[index]?.kind ?? 'row'],
    getItemKey: (index) => keyOf(lines[index]),
    overscan: 10,
    scrollPaddingStart: heights.group,
  })
  const at = useMemo(
    () => lines.findIndex((line) => line.kind === 'row' && line.row.key === selected),
    [lines, selected],
  )
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' })
  }, [at, virtual])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <nav className="triage-rows" aria-label="Programs" ref={scroller} tabIndex={0}>
      <div style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const line = lines[item.index]
          return (
            <div
              key={item.key}
              className="triage-line"
              style={{ height: item.size, transform: `translateY(${item.start}px)` }}
            >
              {line?.kind === 'group' ? <Heading group={line.group} /> : null}
              {line?.kind === 'row' ? (
                <Row row={line.row} on={line.row.key === selected} onSelect={onSelect} />
              ) : null}
            </div>
          )
        })}
      </div>
    </nav>
  )
}

function linesOf(groups: TriageGroup[], rows: readonly TriageRow[]): Line[] {
  const byId = new Map(groups.map((group) => [group.id, group]))
  const lines: Line[] = []
  let last: string | null = null
  for (const row of rows) {
    const group = row.group === last ? undefined : byId.get(row.group)
    if (group) lines.push({ kind: 'group', group })
    last = row.group
    lines.push({ kind: 'row', row })
  }
  return lines
}

const keyOf = (line: Line | undefined): string =>
  line === undefined ? '' : line.kind === 'group' ? `group ${line.group.id}` : line.row.key

function Heading({ group: { name, about, draws, programs } }: { group: TriageGroup }) {
  return (
    <header className="triage-group" title={about === '' ? name : `${name}. ${about}`}>
      <h2>
        <span>{name}</span> <b title={plural(draws, 'draw')}>{formatCount(draws)}</b>
      </h2>
      <p>
        {plural(draws, 'draw')} · {plural(programs, 'program')}
        {about === '' ? '' : ` · ${about}`}
      </p>
    </header>
  )
}

type RowProps = { row: TriageRow; on: boolean; onSelect: (key: string) => void }

function Row({ row, on, onSelect }: RowProps) {
  return (
    <button
      type="button"
      className={on ? 'triage-row on' : 'triage-row'}
      title={`first drawn as ${rolloutName(row.firstRollout)}`}
      aria-current={on || undefined}
      onClick={() => onSelect(row.key)}
    >
      <Mark status={row.status} />
      <span className="mono">{row.bodySha256?.slice(0, 6) ?? 'no body'}</span>
      <small>
        {plural(row.draws, 'draw')}
        {row.note === '' ? '' : ' · noted'}
      </small>
      <span className="score" title={row.audit ? 'tests passed in the audit' : 'tests passed in training'}>
        {scoreOf(row)}
      </span>
      {row.bodySha256 === null ? null : <VerdictPill verdict={row.verdict} />}
    </button>
  )
}

const scoreOf = ({ audit, passed, tests }: TriageRow): string =>
  audit ? `${audit.passed ?? '–'}/${audit.total ?? '–'}` : `${passed ?? '–'}/${tests ?? '–'}`
