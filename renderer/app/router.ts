import { create } from 'zustand'
import { formatRoute, parseRoute, type Route, runOfRoute, type ViewName } from './routes.ts'

const useRouter = create<{ route: Route; lastRun: string | null }>()(() => ({
  route: { view: 'runs' },
  lastRun: null,
}))

/** Follows the location hash. @returns the end of it. */
export function followHash(): () => void {
  const read = () => {
    const route = parseRoute(window.location.hash)
    const run = runOfRoute(route)
    useRouter.setState(run === null ? { route } : { route, lastRun: run })
  }
  read()
  window.addEventListener('hashchange', read)
  return () => window.removeEventListener('hashchange', read)
}

export const useRoute = (): Route => useRouter((state) => state.route)

/** The run that a view without one in its address is about: the last one looked at in this window, or null. */
export const useLastRun = (): string | null => useRouter((state) => state.lastRun)

/** Remembers a run as the one looked at, without going anywhere. */
export const rememberRun = (run: string): void => useRouter.setState({ lastRun: run })

export function go(route: Route, how: 'push' | 'replace' = 'push'): void {
  const hash = formatRoute(route)
  if (how === 'push') window.location.hash = hash
  else window.location.replace(hash)
}

export const href = formatRoute

/** The address of a view for the run now looked at. */
export function viewRoute(view: Exclude<ViewName, 'rollout'>, run: string | null): Route {
  switch (view) {
    case 'runs':
    case 'launch':
    case 'boxes':
    case 'clusters':
      return { view }
    case 'tasks':
      return { view, set: null, task: null, filter: '' }
    case 'studies':
      return { view, study: null }
    case 'compare':
      return { view, runs: [] }
    case 'rollouts':
      return { view, run, filter: '' }
    default:
      return { view, run }
  }
}
