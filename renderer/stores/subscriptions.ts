import type { Bridge } from '#shared/ipc/contract.ts'
import { ask } from '../app/core.ts'
import { applyTheme } from '../theme/theme.ts'
import { lookForErrors } from './alarm-watch.ts'
import { useApp } from './app.ts'
import { pullBoxes, shellAdvanced } from './boxes.ts'
import { pullClusters, useClusters } from './clusters.ts'
import { putPreflightRow } from './launch.ts'
import { pullLive, useLive } from './live.ts'
import { pullRuns } from './runs.ts'
import { useSettings } from './settings.ts'
import { useSignals } from './signals.ts'

/**
 * The only place where the core's events become effects: each starts one subscription and returns its end. Views read stores and ask;
 * they subscribe to nothing.
 */
const subscriptions: ((bridge: Bridge) => () => void)[] = [
  subscribeApp,
  subscribeRuns,
  subscribeLive,
  subscribeLaunch,
  subscribeBoxes,
  subscribeClusters,
  subscribeSignals,
]

export function startSubscriptions(bridge: Bridge): () => void {
  const ends = subscriptions.map((start) => start(bridge))
  return () => {
    for (const end of ends) end()
  }
}

function subscribeApp(bridge: Bridge): () => void {
  const pull = async () => {
    useApp.setState({ info: await ask('app.info', {}) })
    const { theme, ...settings } = await ask('settings.get', {})
    applyTheme(theme)
    useSettings.setState(settings)
  }
  // A core that does not answer yet says so by `core.lost`; `core.back` pulls again.
  const start = () => void pull().catch(() => undefined)
  start()
  const ends = [
    bridge.on('core.lost', ({ reason }) => useApp.setState({ lost: reason })),
    bridge.on('core.back', () => {
      useApp.setState({ lost: null })
      start()
    }),
  ]
  return () => {
    for (const end of ends) end()
  }
}

function subscribeRuns(bridge: Bridge): () => void {
  pullRuns()
  // What a summary says moves with every event and every audited body, also where the list of runs itself stays the same.
  const ends = [
    bridge.on('runs.changed', pullRuns),
    bridge.on('run.advanced', pullRuns),
    bridge.on('audit.advanced', pullRuns),
    bridge.on('core.back', pullRuns),
  ]
  return () => {
    for (const end of ends) end()
  }
}

function subscribeSignals(bridge: Bridge): () => void {
  const ends = [
    bridge.on('run.advanced', ({ run, seq }) =>
      useSignals.setState(({ seqs }) => ({ seqs: { ...seqs, [run]: seq } })),
    ),
    bridge.on('audit.advanced', ({ run }) =>
      useSignals.setState(({ audits }) => ({ audits: { ...audits, [run]: (audits[run] ?? 0) + 1 } })),
    ),
    bridge.on('log.advanced', ({ run, stream, size }) =>
      useSignals.setState(({ logs }) => ({ logs: { ...logs, [`${run}/${stream}`]: size } })),
    ),
    bridge.on('teardown.row', ({ run, label, state }) =>
      useSignals.setState(({ teardowns }) => ({
        teardowns: { ...teardowns, [run]: { ...teardowns[run], [label]: state } },
      })),
    ),
  ]
  return () => {
    for (const end of ends) end()
  }
}

/** Heartbeats age while nothing advances, so a watched run is asked for again now and then even when it is silent. */
const heartbeatPullMs = 3000

function subscribeLive(bridge: Bridge): () => void {
  const ofWatched = ({ run }: { run: string }) => {
    if (run === useLive.getState().run) pullLive()
  }
  const timer = setInterval(() => {
    pullLive()
    lookForErrors()
  }, heartbeatPullMs)
  const ends = [
    bridge.on('run.advanced', ofWatched),
    bridge.on('audit.advanced', ofWatched),
    bridge.on('core.back', pullLive),
  ]
  return () => {
    clearInterval(timer)
    for (const end of ends) end()
  }
}

function subscribeBoxes(bridge: Bridge): () => void {
  pullBoxes()
  const ends = [
    bridge.on('boxes.changed', pullBoxes),
    bridge.on('core.back', pullBoxes),
    bridge.on('shell.advanced', ({ shell }) => shellAdvanced.emit(shell)),
  ]
  return () => {
    for (const end of ends) end()
  }
}

function subscribeClusters(bridge: Bridge): () => void {
  return bridge.on('clusters.changed', ({ run }) => {
    if (run === null) return pullClusters()
    useClusters.setState(({ moved }) => ({ moved: { ...moved, [run]: (moved[run] ?? 0) + 1 } }))
  })
}

function subscribeLaunch(bridge: Bridge): () => void {
  return bridge.on('preflight.row', ({ row }) => putPreflightRow(row))
}
