import { useMemo, useState } from 'react'
import type { PassRate, TaskRow } from '#shared/ipc/contract.ts'
import { shareOf } from '#shared/tasks/filter.ts'
import { formatDuration, formatShare, unknown } from '../../app/format.ts'
import { useKeys } from '../../app/keys.ts'
import { arraySource } from '../../components/table/array-source.ts'
import { RowCache } from '../../components/table/row-cache.ts'
import { type Column, VirtualTable } from '../../components/table/virtual-table.tsx'
import { Pill, type Tone } from '../../components/ui/pill.tsx'

type SortKey = 'task' | 'tokens' | 'logic' | 'commits' | 'tests' | 'build' | 'test' | 'initial' | 'later'
const keys: Record<SortKey, (row: TaskRow) => number | string | null> = {
  task: (row) => row.task,
  tokens: (row) => row.promptTokens,
  logic: (row) => row.logicLines,
  commits: (row) => row.commits,
  tests: (row) => row.tests,
  build: (row) => row.buildMs,
  test: (row) => row.testMs,
  initial: (row) => shareOf(row.initial),
  later: (row) => shareOf(row.later),
}

const tones: Record<TaskRow['difficulty'], Tone> = {
  solved: 'plain',
  useful: 'good',
  later: 'warn',
  doubtful: 'bad',
  unmeasured: 'plain',
}

const count = (value: number | null) => (value === null ? <span className="dim">{unknown}</span> : value)
const time = (ms: number | null) =>
  ms === null ? <span className="dim">{unknown}</span> : formatDuration(ms)

/** Of how many it is a share stands beside it: one of one is another thing than eight of eight. */
function Rate({ rate }: { rate: PassRate | null }) {
  if (rate === null || rate.graded === 0) return <span className="dim">{unknown}</span>
  return (
    <span
      className="task-rate"
      title={`${rate.passed} of ${rate.graded} passed${rate.silent > 0 ? `, ${rate.silent} not graded` : ''}`}
    >
      <i style={{ width: `${(100 * rate.passed) / rate.graded}%` }} />
      <b>{formatShare(rate.passed, rate.graded)}</b>
      <span className="dim"> of {rate.graded}</span>
    </span>
  )
}

function columnsFor(grader: string): Column<TaskRow, SortKey>[] {
  const right = { align: 'right', direction: 'ascending' } as const
  const code: Column<TaskRow, SortKey>[] =
    grader === 'cargo'
      ? [
          {
            key: 'logic',
            label: 'logic',
            width: 50,
            ...right,
            sort: 'logic',
            title: 'lines that say something',
            cell: (row) => count(row.logicLines),
          },
          {
            key: 'commits',
            label: 'commits',
            width: 70,
            ...right,
            sort: 'commits',
            title: 'that changed the body',
            cell: (row) => count(row.commits),
          },
          {
            key: 'build',
            label: 'build',
            width: 62,
            ...right,
            sort: 'build',
            title: 'a warm build, measured with the reference',
            cell: (row) => time(row.buildMs),
          },
          {
            key: 'test',
            label: 'test time',
            width: 70,
            ...right,
            sort: 'test',
            title: 'the tests of one grade, measured with the reference',
            cell: (row) => time(row.testMs),
          },
        ]
      : []
  return [
    {
      key: 'task',
      label: 'task',
      width: 200,
      sort: 'task',
      direction: 'ascending',
      cell: (row) => <b className="task-name">{row.task}</b>,
    },
    {
      key: 'difficulty',
      label: '',
      width: 104,
      cell: (row) => <Pill tone={tones[row.difficulty]}>{row.difficulty}</Pill>,
    },
    {
      key: 'group',
      label: 'group',
      width: 76,
      cell: (row) => row.group ?? <span className="dim">{unknown}</span>,
    },
    { key: 'tests', label: 'tests', width: 50, ...right, sort: 'tests', cell: (row) => row.tests },
    {
      key: 'tokens',
      label: 'tokens',
      width: 60,
      ...right,
      sort: 'tokens',
      title: 'of the prompt',
      cell: (row) => count(row.promptTokens),
    },
    ...code,
    {
      key: 'controls',
      label: 'controls',
      width: 70,
      align: 'right',
      cell: (row) => <Controls of={row.controls} />,
    },
    {
      key: 'initial',
      label: 'initially',
      width: 104,
      ...right,
      sort: 'initial',
      title: 'full passes of the initial checkpoint’s draws, over all runs',
      cell: (row) => <Rate rate={row.initial} />,
    },
    {
      key: 'later',
      label: 'since',
      width: 104,
      ...right,
      sort: 'later',
      title: 'full passes in training and in the last evaluation',
      cell: (row) => <Rate rate={row.later} />,
    },
    { key: 'place', label: 'where', cell: (row) => <span className="mono dim">{row.place ?? unknown}</span> },
  ]
}

function Controls({ of }: { of: TaskRow['controls'] }) {
  if (of === null) return <span className="dim">{unknown}</span>
  return (
    <span className={of.held === of.of ? undefined : 'tasks-fault'}>
      {of.held} of {of.of}
    </span>
  )
}

type Props = { rows: TaskRow[]; grader: string; onOpen: (task: string) => void }

export function TaskTable({ rows, grader, onOpen }: Props) {
  const [sort, setSort] = useState<SortKey>('task')
  const [cursor, setCursor] = useState(0)
  const sorted = useMemo(() => [...rows].sort(by(keys[sort])), [rows, sort])
  const cache = useMemo(() => new RowCache(arraySource(sorted)), [sorted])
  const columns = useMemo(() => columnsFor(grader), [grader])
  const at = Math.min(cursor, Math.max(0, sorted.length - 1))
  const move = (by: number) => setCursor(Math.max(0, Math.min(sorted.length - 1, at + by)))
  useKeys('Tasks', [
    { keys: 'j', label: 'next task', footer: true, run: () => move(1) },
    { keys: 'k', label: 'previous task', run: () => move(-1) },
    { keys: 'Enter', label: 'open the task', footer: true, run: () => sorted[at] && onOpen(sorted[at].task) },
  ])
  return (
    <VirtualTable
      label="Tasks"
      cache={cache}
      columns={columns}
      rowId={(row) => row.task}
      cursor={at}
      onCursor={setCursor}
      onOpen={(row) => onOpen(row.task)}
      sort={sort}
      onSort={setSort}
      empty={<p className="dim">No task is left by this filter.</p>}
    />
  )
}

/** Ascending; what is not known comes last. */
function by(key: (row: TaskRow) => number | string | null) {
  return (a: TaskRow, b: TaskRow) => {
    const [x, y] = [key(a), key(b)]
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1
    return x < y ? -1 : x > y ? 1 : 0
  }
}
