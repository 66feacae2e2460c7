import { type LogStream, logStreams } from '#shared/domain/log-stream.ts'
import { useSignals } from '../../stores/signals.ts'
import { useRequest } from '../../stores/use-request.ts'

export type Stream = LogStream

/** The logs that a run has: those of its verifier's pods only where those are in a cluster. */
export function useStreams(run: string): readonly Stream[] {
  const told = useSignals((state) => state.logs[`${run}/pods`] ?? 0)
  const asked = useRequest('logs.read', { run, stream: 'pods', offset: 0, limit: 1 })
  const hasPods = told > 0 || (asked.value?.size ?? 0) > 0
  return hasPods ? logStreams : logStreams.filter((stream) => stream !== 'pods')
}
