import { useEffect, useMemo, useState } from 'react'
import type { Grade } from '#shared/domain/grade.ts'
import { unknown } from '../../app/format.ts'
import { useKeys } from '../../app/keys.ts'
import { Mark } from '../../components/marks/mark.tsx'
import { statusInfo } from '../../components/marks/status-info.ts'
import { filterLines, markOf, type TestLine } from '../../components/rollout/test-lines.ts'
import { arraySource } from '../../components/table/array-source.ts'
import { RowCache } from '../../components/table/row-cache.ts'
import { type Column, VirtualTable } from '../../components/table/virtual-table.tsx'
import type { ShownTest } from './rollout-panes.tsx'

type Props = {
  suite: ShownTest['suite']
  grade: Grade | null
  lines: TestLine[]
  chosen: ShownTest | null
  onChoose: (test: ShownTest) => void
}

const columns: Column<TestLine>[] = [
  {
    key: 'outcome',
    label: 'outcome',
    width: 104,
    cell: (line) => (
      <span className="status-label">
        <Mark status={markOf(line.outcome)} />
        {line.control ? 'control ' : ''}
        {line.outcome.replace('_', ' ')}
      </span>
    ),
  },
  { key: 'name', label: 'test', width: 150, cell: (line) => <span title={line.name}>{line.name}</span> },
  {
    key: 'family',
    label: 'family',
    width: 86,
    cell: (line) => <span className="dim">{line.family ?? ''}</span>,
  },
  { key: 'input', label: 'input', cell: (line) => <code title={line.input ?? ''}>{line.input ?? ''}</code> },
  {
    key: 'expected',
    label: 'expected',
    width: 92,
    align: 'right',
    cell: (line) => <code title={line.expected}>{line.expected ?? ''}</code>,
  },
  {
    key: 'observed',
    label: 'observed',
    width: 92,
    align: 'right',
    cell: (line) => (
      <code
        className={line.outcome === 'passed' ? undefined : 'observed-wrong'}
        title={line.observed ?? line.detail ?? ''}
      >
        {line.observed ?? (line.outcome === 'passed' ? '' : 'none')}
      </code>
    ),
  },
  {
    key: 'ms',
    label: 'ms',
    width: 64,
    align: 'right',
    cell: (line) => <span className="dim">{line.ms === null ? unknown : line.ms.toFixed(1)}</span>,
  },
]

/** Every test with what was wanted and what came, as raw JSON text; what failed first. The one under the cursor is drawn at the right. */
export function TestPane({ suite, grade, lines, chosen, onChoose }: Props) {
  const [text, setText] = useState('')
  const shown = useMemo(() => filterLines(lines, text), [lines, text])
  const cache = useMemo(() => new RowCache(arraySource(shown), 500, 40), [shown])
  const at = chosen?.suite === suite ? shown.findIndex((line) => line.number === chosen.line.number) : -1
  const choose = (index: number) => {
    const line = shown[Math.max(0, Math.min(shown.length - 1, index))]
    if (line) onChoose({ suite, line })
  }
  useEffect(() => () => cache.dispose(), [cache])
  useKeys('Tests', [
    { keys: 'ArrowDown', show: '↓', label: 'next test', footer: true, run: () => choose(at + 1) },
    { keys: 'ArrowUp', show: '↑', label: 'previous test', run: () => choose(at - 1) },
  ])
  if (grade === null || lines.length === 0) {
    return <p className="pane-note dim">{whyEmpty(suite, grade)}</p>
  }
  return (
    <>
      <input
        data-filter-line
        className="test-filter"
        value={text}
        placeholder="filter tests: name, family, outcome, value"
        aria-label="Filter tests"
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
      <VirtualTable
        label={suite === 'audit' ? 'Audit tests' : 'Tests'}
        cache={cache}
        columns={columns}
        rowId={(line) => line.name}
        cursor={at}
        onCursor={choose}
        onOpen={() => undefined}
        empty={<p className="dim">No test holds “{text}”.</p>}
      />
    </>
  )
}

function whyEmpty(suite: ShownTest['suite'], grade: Grade | null): string {
  if (grade === null) return suite === 'audit' ? 'Not audited yet.' : 'Not graded yet.'
  const status = statusInfo(grade.status)
  const reason = grade.reason === null ? '' : ` Reason: ${grade.reason}.`
  return `No test ran: ${status.label}, ${status.meaning}.${reason}`
}
