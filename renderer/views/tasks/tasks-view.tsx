import { go, useRoute } from '../../app/router.ts'
import { Empty, Failure, Loading } from '../../components/ui/states.tsx'
import { useRequest } from '../../stores/use-request.ts'
import { TaskPageView } from './task-page.tsx'
import { TaskSetView } from './task-set.tsx'
import './tasks.css'

/** Sets of tasks and what is in them. The set, the filter and the task looked at are in the address. */
export function TasksView() {
  const route = useRoute()
  const at = route.view === 'tasks' ? route : { view: 'tasks' as const, set: null, task: null, filter: '' }
  const sets = useRequest('tasks.sets', {})
  if (sets.error !== null) return <Failure error={sets.error} onRetry={sets.reload} />
  if (sets.value === null) return <Loading what="the sets of tasks" />
  const set = at.set ?? sets.value[0]?.path ?? null
  if (set === null) {
    return (
      <Empty title="No set of tasks yet">
        <p className="dim">
          <code>ringside tasks build --repo DIR --commit SHA --out DIR</code> makes one of a Rust repository,{' '}
          <code>ringside tasks import ultradata FILE --out DIR</code> of a file of items.
        </p>
      </Empty>
    )
  }
  if (at.task !== null)
    return <TaskPageView set={set} task={at.task} onBack={() => go({ ...at, set, task: null })} />
  return (
    <TaskSetView
      sets={sets.value}
      path={set}
      filter={at.filter}
      onMove={(next, how) => go({ ...at, set, ...next }, how)}
    />
  )
}
