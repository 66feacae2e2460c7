import type { BoxView } from '#shared/ipc/contract.ts'
import { formatBytes, formatNumber } from '../../app/format.ts'

type Sample = NonNullable<NonNullable<BoxView['gpu']>['sample']>

/** Who holds memory there; a container hides it, which is not the same as nobody. */
function Processes({ gpus, processes }: Pick<Sample, 'gpus' | 'processes'>) {
  if (processes === null) return null
  if (processes.length === 0)
    return <p className="dim">No process is named on them: none computes, or a container hides them.</p>
  return (
    <ul className="gpu-processes" aria-label="Processes on the GPUs">
      {processes.map(({ uuid, pid, name, usedBytes }) => (
        <li key={`${uuid}/${pid}`}>
          <span className="num">{usedBytes === null ? 'not told' : formatBytes(usedBytes)}</span>
          <span className="mono">{name}</span>
          <span className="dim">
            process {pid} on GPU {gpus.find((gpu) => gpu.uuid === uuid)?.index ?? '?'}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** One line a GPU, now; or why there is none to show. */
export function GpuLine({ gpu }: { gpu: BoxView['gpu'] }) {
  if (gpu === null || gpu.state === 'waiting') return null
  if (gpu.sample === null || gpu.state !== 'live') return <p className="dim">GPU: {gpu.detail}</p>
  const { gpus, processes } = gpu.sample
  return (
    <div className="gpu-table">
      <table>
        <thead>
          <tr>
            <th scope="col">GPU</th>
            <th scope="col">memory</th>
            <th scope="col">reserved</th>
            <th scope="col">busy</th>
            <th scope="col">°C</th>
            <th scope="col">W</th>
          </tr>
        </thead>
        <tbody>
          {gpus.map((one) => (
            <tr key={one.uuid}>
              <td>
                {one.index} {one.name}
                {one.mig ? ' (divided by MIG)' : ''}
              </td>
              <td className="num">
                {formatBytes(one.usedBytes)} of {formatBytes(one.totalBytes)}
              </td>
              <td className="num">
                {one.reservedBytes === null ? 'not told' : formatBytes(one.reservedBytes)}
              </td>
              <td className="num">
                {one.utilisation === null ? 'not told' : `${Math.round(one.utilisation * 100)} %`}
              </td>
              <td className="num">{formatNumber(one.temperatureC)}</td>
              <td className="num">{formatNumber(one.powerW)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Processes gpus={gpus} processes={processes} />
    </div>
  )
}
