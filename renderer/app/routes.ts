import { queueNames } from '#shared/ipc/audit.ts'
import type { Input, QueueName } from '#shared/ipc/contract.ts'

export type RolloutSort = Input<'rollouts.page'>['sort']

/** Where the window is. `run` is null where a view was opened without one: it then takes the run last looked at. */
export type Route =
  | { view: 'runs' }
  | { view: 'launch' }
  | { view: 'boxes' }
  | { view: 'clusters' }
  | { view: 'live'; run: string | null }
  | { view: 'rollouts'; run: string | null; filter: string; sort?: RolloutSort }
  | { view: 'rollout'; rollout: string; filter: string; sort?: RolloutSort }
  /** None chosen yet: the two newest. */
  | { view: 'compare'; runs: string[] }
  /** A list of the audit, false acceptances where none is named, and the filter that narrows it. */
  | { view: 'audit'; run: string | null; queue?: QueueName; filter?: string }
  | { view: 'terminal'; run: string | null }
  | { view: 'stages'; run: string | null }
  /** `set` is the path of a suite folder; null for the newest that there is. */
  | { view: 'tasks'; set: string | null; task: string | null; filter: string }
  /** `study` is the path of a table; null for the first that there is. */
  | { view: 'studies'; study: string | null }
  | { view: 'teardown'; run: string | null }

export type ViewName = Route['view']

/**
 * Reads a location hash: `#/runs`, `#/launch`, `#/boxes`, `#/clusters`, `#/live/<run>`, `#/rollouts/<run>?filter=…&sort=…`, `#/rollout/<id>?filter=…&sort=…`, `#/audit/<run>?queue=…&filter=…`, `#/compare/<run>,<run>`,
 * `#/terminal/<run>`, `#/stages/<run>`, `#/studies/<table>`, `#/tasks/<suite folder>?task=…&filter=…`, `#/teardown/<run>`. A rollout's id holds slashes and may be written with or without escapes.
 * Anything else is the list of runs.
 */
export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = splitOnce(hash.replace(/^#?\/?/, ''), '?')
  const [view = '', rest = ''] = splitOnce(path, '/')
  const name = decode(rest)
  const run = name === '' ? null : name
  const parameters = new URLSearchParams(query)
  const filter = parameters.get('filter') ?? ''
  const order = sortOf(parameters.get('sort'))
  switch (view) {
    case 'launch':
    case 'boxes':
    case 'clusters':
      return { view }
    case 'audit':
      return { view, run, ...queueOf(parameters.get('queue')), ...(filter === '' ? {} : { filter }) }
    case 'live':
    case 'terminal':
    case 'stages':
    case 'teardown':
      return { view, run }
    case 'studies':
      return { view, study: run }
    case 'tasks':
      return { view, set: run, task: parameters.get('task'), filter }
    case 'compare':
      return { view, runs: name.split(',').filter((one) => one !== '') }
    case 'rollouts':
      return { view, run, filter, ...order }
    case 'rollout':
      return run === null ? { view: 'runs' } : { view, rollout: run, filter, ...order }
    default:
      return { view: 'runs' }
  }
}

/** The hash that `parseRoute` reads back as `route`. */
export function formatRoute(route: Route): string {
  switch (route.view) {
    case 'runs':
    case 'launch':
    case 'boxes':
    case 'clusters':
      return `#/${route.view}`
    case 'compare':
      return `#/compare${route.runs.length === 0 ? '' : `/${route.runs.map(encodeURIComponent).join(',')}`}`
    case 'rollout':
      return `#/rollout/${route.rollout.split('/').map(encodeURIComponent).join('/')}${query(route)}`
    case 'studies':
      return `#/studies${tail(route.study)}`
    case 'tasks':
      return `#/tasks${tail(route.set)}${taskQuery(route)}`
    case 'rollouts':
      return `#/rollouts${tail(route.run)}${query(route)}`
    case 'audit':
      return `#/audit${tail(route.run)}${query({ filter: route.filter ?? '', queue: route.queue })}`
    default:
      return `#/${route.view}${tail(route.run)}`
  }
}

/** The run a route is about, also where it only names a rollout; null where it is about none. */
export function runOfRoute(route: Route): string | null {
  if (route.view === 'rollout') return route.rollout.split('/')[0] ?? null
  return 'run' in route ? route.run : null
}

function taskQuery({ task, filter }: { task: string | null; filter: string }): string {
  const parts = [
    ...(task === null ? [] : [`task=${encodeURIComponent(task)}`]),
    ...(filter === '' ? [] : [`filter=${encodeURIComponent(filter)}`]),
  ]
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

const tail = (run: string | null) => (run === null ? '' : `/${encodeURIComponent(run)}`)
type Query = { filter: string; sort?: RolloutSort | undefined; queue?: QueueName | undefined }
function query({ filter, sort = 'order', queue }: Query): string {
  const parts = [
    ...(queue === undefined ? [] : [`queue=${queue}`]),
    ...(filter === '' ? [] : [`filter=${encodeURIComponent(filter)}`]),
    ...(sort === 'order' ? [] : [`sort=${sort}`]),
  ]
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

/** The list's own order is left unsaid, so that one list has one address. */
const sortOf = (name: string | null): { sort?: RolloutSort } =>
  name === 'reward' || name === 'audit' || name === 'ms' ? { sort: name } : {}

const queueOf = (name: string | null): { queue?: QueueName } => {
  const queue = queueNames.find((one) => one === name)
  return queue === undefined ? {} : { queue }
}

function splitOnce(text: string, at: string): [string, string] {
  const index = text.indexOf(at)
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + at.length)]
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
