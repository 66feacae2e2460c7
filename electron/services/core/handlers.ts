import type { AppInfo, Handlers } from '#shared/ipc/contract.ts'
import type { RunState } from '#shared/journal/state.ts'
import { boxHandlers } from '../box/ssh/handlers.ts'
import { type ImportDeps, importRun } from '../imports/imports.ts'
import { clusterHandlers } from '../kube/handlers.ts'
import { adapterHandlers } from '../runs/adapters.ts'
import { readLog } from '../runs/logs.ts'
import type { Interruption } from '../runs/runs.ts'
import type { SettingsFile } from '../settings/settings.ts'
import { appInfo } from './app-info.ts'
import type { CoreParts } from './core.ts'
import { rooms } from './data-folder.ts'

export type HandlerOptions = {
  home: string
  shell: AppInfo['shell']
  version: string
  env: NodeJS.ProcessEnv
  settings: SettingsFile
  /** A cluster's switch was turned. */
  onClusters: () => void
  imports: Pick<ImportDeps, 'now' | 'random' | 'onImported'>
}

/** Every request of the contract, each answered by the part that owns it. */
export function createHandlers(parts: CoreParts, options: HandlerOptions): Handlers {
  const { store, runs, audit, workshop, mutants, studies, launcher, box } = parts
  const { settings } = options
  return {
    ...store.handlers,
    ...interruptionAware(parts),
    ...boxHandlers(parts),
    ...clusterHandlers(parts, options.onClusters),
    ...parts.shells.handlers,
    ...parts.tasks.handlers,
    ...parts.bootstraps.handlers,
    ...adapterHandlers(box, options.env),
    'app.info': () => appInfo(options),
    'settings.get': () => settings.get(),
    'settings.set': (changes) => settings.set(changes),
    'runs.import': ({ files }) =>
      importRun({ runsDir: rooms(options.home).runs, store, ...options.imports }, files),
    'runs.stop': ({ run, mode }) => runs.stop(run, mode),
    'launch.options': () => launcher.options(),
    'launch.preflight': ({ draft }) => launcher.preflight(draft),
    'launch.start': async ({ draft }) => {
      const run = await launcher.start(draft)
      runs.attach(run)
      return { run }
    },
    'audit.get': ({ run }) => audit.view(run),
    'audit.start': (input) => audit.start(input),
    'audit.verdict': (input) => audit.recordVerdict(input),
    'audit.verdicts': (input) => audit.recordVerdicts(input),
    'audit.explain': ({ run }) => workshop.explain(run),
    'audit.name': (input) => workshop.name(input),
    'audit.repair': ({ run, cases }) => workshop.repair(run, cases),
    'audit.queues': ({ run }) => workshop.queues(run),
    'audit.queue': (input) => workshop.queue(input),
    'audit.regrade': ({ run, suite }) => workshop.regrade(run, suite),
    'mutants.measure': (input) => mutants.measure(input),
    'mutants.mark': async ({ referenceSha256, mutant, equivalent }) => {
      await mutants.mark(referenceSha256, mutant, equivalent)
      return { recorded: true }
    },
    'studies.list': () => studies.list(),
    'studies.get': ({ study }) => studies.view(study),
    'studies.draws': (input) => studies.draws(input),
    'logs.read': (input) => readLog(box, rooms(options.home).runs, input),
    'teardown.plan': ({ run }) => runs.planTeardown(run),
    'teardown.run': ({ run, confirm }) => runs.tearDown(run, confirm),
  }
}

/** A journal without `run.finished` whose trainer is gone reads as interrupted, wherever a run's state is told. */
function interruptionAware({
  store,
  runs,
}: CoreParts): Pick<Handlers, 'runs.list' | 'runs.state' | 'live.since'> {
  const of = (run: string) => (runs.trainerAlive(run) === true ? null : runs.interruption(run))
  return {
    'runs.list': async (input) =>
      (await store.handlers['runs.list'](input)).map((summary) => interrupted(summary, of(summary.run))),
    'runs.state': async (input) => {
      const reply = await store.handlers['runs.state'](input)
      const found = of(input.run)
      return { ...reply, state: interrupted(reply.state, found), summary: interrupted(reply.summary, found) }
    },
    'live.since': async (input) => {
      const reply = await store.handlers['live.since'](input)
      return { ...reply, state: interrupted(reply.state, of(input.run)) }
    },
  }
}

function interrupted<T extends Pick<RunState, 'phase' | 'outcome'>>(value: T, found: Interruption | null): T {
  if (!found || value.phase === 'finished') return value
  const changes = { phase: 'finished', outcome: 'interrupted' } as const
  return 'reason' in value ? { ...value, ...changes, reason: found.reason } : { ...value, ...changes }
}
