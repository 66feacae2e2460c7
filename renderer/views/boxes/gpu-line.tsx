import type { BoxView } from '#shared/ipc/contract.ts'
import { formatBytes, formatNumber } from '../../app/format.ts'

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
                {one.utilisation === null ? 'not told' : `${Math.round(one.utilisation * 100)} %`}
              </td>
              <td className="num">{formatNumber(one.temperatureC)}</td>
              <td className="num">{formatNumber(one.powerW)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {processes?.length === 0 && (
        <p className="dim">No process is named on them: none computes, or a container hides them.</p>
      )}
    </div>
  )
}
