import { create } from 'zustand'
import { type ErrorInfo, toAppError } from '#shared/base/errors.ts'
import type { Outputs } from '#shared/ipc/contract.ts'
import { ask } from '../app/core.ts'
import { singleFlight } from './single-flight.ts'

type ClustersState = {
  list: Outputs['clusters.list'] | null
  error: ErrorInfo | null
  /** Moves whenever something about a run's verifier in its cluster does, by run. */
  moved: Record<string, number>
}

export const useClusters = create<ClustersState>(() => ({ list: null, error: null, moved: {} }))

export const pullClusters = singleFlight(async () => {
  try {
    useClusters.setState({ list: await ask('clusters.list', {}), error: null })
  } catch (thrown) {
    useClusters.setState({ error: toAppError(thrown).info })
  }
})

export async function setWritable(cluster: string, writable: boolean): Promise<void> {
  try {
    useClusters.setState({ list: await ask('clusters.setWritable', { cluster, writable }), error: null })
  } catch (thrown) {
    useClusters.setState({ error: toAppError(thrown).info })
  }
}
