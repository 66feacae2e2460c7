import { useState } from 'react'
import type { StudyView } from '#shared/ipc/contract.ts'
import type { Paired } from '#shared/stats/paired.ts'
import { formatNumber, plural } from '../../app/format.ts'
import { Panel } from '../../components/ui/panel.tsx'

const words: Record<string, string> = {
  full: 'full passes',
  partial: 'partial',
  atMostOne: 'at most one case',
  inclusiveSignature: 'inclusive signature',
  tokenCap: 'token cap',
  meanCaseAccuracy: 'mean of cases',
}

/** One arm less another, seed by seed: the seed's own luck is taken out, and few seeds make a wide interval. */
export function PairedPanel({ figures }: { figures: StudyView['figures'] }) {
  const pairs = Object.keys(figures.paired)
  const [chosen, setChosen] = useState<string | null>(null)
  const pair = chosen !== null && pairs.includes(chosen) ? chosen : (pairs[0] ?? null)
  const metrics = pair === null ? [] : Object.entries(figures.paired[pair] ?? {})
  const widest = Math.max(
    1e-9,
    ...metrics.flatMap(([, { interval, mean }]) => [...(interval ?? []), mean ?? 0].map(Math.abs)),
  )
  return (
    <Panel
      title="Paired differences"
      note="percentage points, by training seed; bar: 95 % interval of the mean"
      className="study-wide"
      aside={
        <select
          className="select"
          aria-label="Arms compared"
          value={pair ?? ''}
          onChange={(event) => setChosen(event.target.value)}
        >
          {pairs.map((name) => (
            <option key={name} value={name}>
              {name.replace('-', ' less ')}
            </option>
          ))}
        </select>
      }
    >
      <table className="figures">
        <tbody>
          {metrics.map(([metric, paired]) => (
            <Row key={metric} label={words[metric] ?? metric} paired={paired} widest={widest} />
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

function Row({ label, paired, widest }: { label: string; paired: Paired; widest: number }) {
  const { perSeed, mean, interval } = paired
  const values = Object.entries(perSeed)
  const at = (value: number) => 50 + (48 * value) / widest
  return (
    <tr>
      <th scope="row">{label}</th>
      <td>{signed(mean)}</td>
      <td className="dim">
        {interval === null ? 'no interval' : `${signed(interval[0])} to ${signed(interval[1])}`}
      </td>
      <td
        className="paired-plot"
        title={values.map(([seed, value]) => `${seed}: ${signed(value)}`).join(', ')}
      >
        <svg width="100%" height="14" aria-hidden="true" focusable="false">
          <line className="zero" x1="50%" x2="50%" y1="0" y2="14" />
          {interval === null ? null : (
            <rect
              className="interval"
              x={`${at(interval[0])}%`}
              width={`${at(interval[1]) - at(interval[0])}%`}
              y="5"
              height="4"
            />
          )}
          {values.map(([seed, value]) => (
            <circle key={seed} cx={`${at(value)}%`} cy="7" r="2.5" />
          ))}
          {mean === null ? null : (
            <line className="mean" x1={`${at(mean)}%`} x2={`${at(mean)}%`} y1="1" y2="13" />
          )}
        </svg>
      </td>
      <td className="dim">{plural(values.length, 'seed')}</td>
    </tr>
  )
}

const signed = (value: number | null) =>
  value === null ? '–' : `${value < 0 ? '−' : '+'}${formatNumber(Math.abs(value))}`
