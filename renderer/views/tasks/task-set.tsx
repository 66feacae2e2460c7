import { useMemo, useState } from 'react'
import type { TaskList, TaskSet } from '#shared/ipc/contract.ts'
import { parseTaskFilter } from '#shared/tasks/filter.ts'
import { formatCount, plural } from '../../app/format.ts'
import type { Route } from '../../app/routes.ts'
import { HeaderSlot } from '../../app/slots.tsx'
import { Segments } from '../../components/rollout/facts.tsx'
import { Pill } from '../../components/ui/pill.tsx'
import { Failure, Loading } from '../../components/ui/states.tsx'
import { useRequest } from '../../stores/use-request.ts'
import { DroppedList } from './dropped-list.tsx'
import { SetFacts } from './set-facts.tsx'
import { TaskTable } from './task-table.tsx'

type TasksRoute = Extract<Route, { view: 'tasks' }>
type Props = {
  sets: TaskSet[]
  path: string
  filter: string
  onMove: (next: Partial<TasksRoute>, how?: 'replace') => void
}

export function TaskSetView({ sets, path, filter, onMove }: Props) {
  const list = useRequest('tasks.list', { set: path })
  const set = list.value?.set ?? sets.find((one) => one.path === path) ?? null
  return (
    <>
      <HeaderSlot>
        <h1>Tasks</h1>
        {sets.length < 2 ? null : (
          <select
            className="select"
            aria-label="Set of tasks"
            value={path}
            onChange={(event) => onMove({ set: event.target.value, filter: '' })}
          >
            {sets.map((one) => (
              <option key={one.path} value={one.path}>
                {one.name} {one.version}
              </option>
            ))}
          </select>
        )}
        {set === null ? null : <SetWords set={set} />}
      </HeaderSlot>
      {list.error !== null ? (
        <Failure error={list.error} onRetry={list.reload} />
      ) : list.value === null ? (
        <Loading what="the tasks" />
      ) : (
        <Listed list={list.value} filter={filter} onMove={onMove} />
      )}
    </>
  )
}

function SetWords({ set }: { set: TaskSet }) {
  return (
    <>
      <span className="dim tasks-words" title={set.path}>
        version {set.version} · {set.grader} · {plural(set.tasks, 'task')}
        {set.found === null ? '' : ` kept of ${formatCount(set.found)} found`}
      </span>
      {set.frozen ? <Pill tone="accent">frozen by use</Pill> : null}
    </>
  )
}

function Listed({ list, filter, onMove }: { list: TaskList; filter: string; onMove: Props['onMove'] }) {
  const [shown, setShown] = useState<'tasks' | 'dropped'>('tasks')
  const parsed = useMemo(() => parseTaskFilter(filter), [filter])
  const fault = 'fault' in parsed ? parsed.fault : null
  const rows = useMemo(
    () => ('fault' in parsed ? list.rows : list.rows.filter(parsed.matches)),
    [list, parsed],
  )
  return (
    <div className="tasks">
      <div className="tasks-bar">
        {list.dropped.length === 0 ? null : (
          <Segments
            label="What is listed"
            value={shown}
            options={[
              { value: 'tasks', label: `Tasks ${list.rows.length}` },
              { value: 'dropped', label: `Dropped ${list.dropped.length}` },
            ]}
            onChange={setShown}
          />
        )}
        <input
          className="tasks-filter mono"
          aria-label="Filter tasks"
          placeholder="group:crate  tokens>400  initial<0.5  is:solved"
          spellCheck={false}
          value={filter}
          disabled={shown === 'dropped'}
          aria-invalid={fault !== null}
          onChange={(event) => onMove({ filter: event.target.value }, 'replace')}
        />
        <span className={fault === null ? 'dim' : 'tasks-fault'} role="status">
          {fault ?? `${formatCount(rows.length)} of ${formatCount(list.rows.length)}`}
        </span>
      </div>
      <div className="tasks-body">
        {shown === 'tasks' ? (
          <TaskTable rows={rows} grader={list.set.grader} onOpen={(task) => onMove({ task })} />
        ) : (
          <DroppedList dropped={list.dropped} />
        )}
        {list.report === null ? null : <SetFacts report={list.report} />}
      </div>
    </div>
  )
}
