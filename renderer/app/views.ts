import {
  Activity,
  ChartSpline,
  Grid3x3,
  Layers,
  LayoutList,
  ListChecks,
  type LucideIcon,
  Rocket,
  Scale,
  Server,
  ShipWheel,
  SquareTerminal,
  Table2,
  Unplug,
} from 'lucide-react'
import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { loadCode } from './load-code.ts'
import type { ViewName } from './routes.ts'

export type RailView = Exclude<ViewName, 'rollout'>

/** The views in the order of the rail. `key` goes there after `g`. */
export const railViews: { view: RailView; label: string; key: string; icon: LucideIcon; about: string }[] = [
  { view: 'runs', label: 'Runs', key: 'r', icon: LayoutList, about: 'every run and what came of it' },
  { view: 'launch', label: 'Launch', key: 'n', icon: Rocket, about: 'start a new run' },
  { view: 'live', label: 'Live', key: 'l', icon: Activity, about: 'watch a run' },
  { view: 'compare', label: 'Compare', key: 'c', icon: ChartSpline, about: 'runs over each other' },
  { view: 'rollouts', label: 'Rollouts', key: 'o', icon: Grid3x3, about: 'list and filter rollouts' },
  { view: 'audit', label: 'Audit', key: 'a', icon: Scale, about: 'false acceptances' },
  { view: 'stages', label: 'Stages', key: 's', icon: Layers, about: 'stages of a run and its adapters' },
  {
    view: 'terminal',
    label: 'Terminal',
    key: 't',
    icon: SquareTerminal,
    about: 'logs of trainer and verifier',
  },
  { view: 'tasks', label: 'Tasks', key: 'k', icon: ListChecks, about: 'sets of tasks and what is in them' },
  { view: 'studies', label: 'Studies', key: 'd', icon: Table2, about: 'tables of saved draws' },
  { view: 'boxes', label: 'Boxes', key: 'b', icon: Server, about: 'machines behind SSH' },
  {
    view: 'clusters',
    label: 'Clusters',
    key: 'u',
    icon: ShipWheel,
    about: 'Kubernetes clusters and the verifiers in them',
  },
  { view: 'teardown', label: 'Teardown', key: 'x', icon: Unplug, about: 'give everything back' },
]

/** Each view is its own chunk: the window opens on the list of runs without the editor, the terminal or the charts. */
export const viewComponents: Record<ViewName, LazyExoticComponent<ComponentType>> = {
  runs: view(() => import('../views/runs/runs-view.tsx'), 'RunsView'),
  launch: view(() => import('../views/launch/launch-view.tsx'), 'LaunchView'),
  live: view(() => import('../views/live/live-view.tsx'), 'LiveView'),
  compare: view(() => import('../views/compare/compare-view.tsx'), 'CompareView'),
  rollouts: view(() => import('../views/rollouts/rollouts-view.tsx'), 'RolloutsView'),
  rollout: view(() => import('../views/rollout/rollout-view.tsx'), 'RolloutView'),
  audit: view(() => import('../views/audit/audit-view.tsx'), 'AuditView'),
  tasks: view(() => import('../views/tasks/tasks-view.tsx'), 'TasksView'),
  studies: view(() => import('../views/studies/studies-view.tsx'), 'StudiesView'),
  boxes: view(() => import('../views/boxes/boxes-view.tsx'), 'BoxesView'),
  clusters: view(() => import('../views/clusters/clusters-view.tsx'), 'ClustersView'),
  stages: view(() => import('../views/stages/stages-view.tsx'), 'StagesView'),
  terminal: view(() => import('../views/terminal/terminal-view.tsx'), 'TerminalView'),
  teardown: view(() => import('../views/teardown/teardown-view.tsx'), 'TeardownView'),
}

function view<N extends string>(load: () => Promise<Record<N, ComponentType>>, name: N) {
  return lazy(async () => ({ default: (await loadCode(load))[name] }))
}
