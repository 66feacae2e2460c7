import { useState } from 'react'
import { specDifferences } from '#shared/compare/spec-diff.ts'
import { type CompareMetric, type CompareSeries, compareMetrics } from '#shared/ipc/contract.ts'
import { formatNumber } from '../../app/format.ts'
import { go, useRoute } from '../../app/router.ts'
import { HeaderSlot } from '../../app/slots.tsx'
import { Panel } from '../../components/ui/panel.tsx'
import { Empty, Failure, Loading } from '../../components/ui/states.tsx'
import { useRuns } from '../../stores/runs.ts'
import { useRequest } from '../../stores/use-request.ts'
import './compare.css'
import { type Axis, axes } from './overlay.ts'
import { OverlayChart, runLooks } from './overlay-chart.tsx'

/** As many as there are looks, and as an eye can follow. */
const most = 8

const metricNames: Record<CompareMetric, string> = {
  rewardMean: 'mean reward',
  passShare: 'full passes',
  silentShare: 'silent groups',
  loss: 'loss',
  gradNorm: 'gradient norm',
  kl: 'KL',
  entropy: 'entropy',
  tokensMean: 'tokens',
  gradeMsP95: 'grading p95',
}

/** Two to eight runs on one axis, with what differs between their specs first: a difference in a line has to come from there. */
export function CompareView() {
  const route = useRoute()
  const listed = useRuns((state) => state.runs)
  const asked = route.view === 'compare' ? route.runs : []
  const chosen = asked.length > 0 ? asked : (listed ?? []).slice(0, 2).map(({ run }) => run)
  const toggle = (run: string) => {
    const runs = chosen.includes(run) ? chosen.filter((other) => other !== run) : [...chosen, run]
    if (runs.length <= most) go({ view: 'compare', runs }, 'replace')
  }
  return (
    <>
      <HeaderSlot>
        <h1>Compare</h1>
        <span className="dim">
          {chosen.length} of {listed?.length ?? 0} runs, {most} at most
        </span>
      </HeaderSlot>
      {listed === null ? (
        <Loading what="runs" />
      ) : listed.length < 2 ? (
        <Empty title="Nothing to compare yet">
          <p className="dim">Two runs are needed; launch another with one knob changed.</p>
        </Empty>
      ) : (
        <div className="compare">
          <fieldset className="compare-runs">
            <legend className="visually-hidden">Runs to lay over each other</legend>
            {listed.map(({ run, name }) => (
              <label key={run} title={run}>
                <input type="checkbox" checked={chosen.includes(run)} onChange={() => toggle(run)} />
                <Look at={chosen.indexOf(run)} /> {name}
              </label>
            ))}
          </fieldset>
          {chosen.length > 0 && <Compared runs={chosen} />}
        </div>
      )}
    </>
  )
}

function Look({ at }: { at: number }) {
  const look = runLooks[at]
  if (!look) return null
  return (
    <svg width="22" height="8" aria-hidden="true">
      <line
        x1="0"
        x2="22"
        y1="4"
        y2="4"
        stroke={`var(--${look.token.replaceAll('_', '-')})`}
        strokeWidth="2"
        strokeDasharray={look.dash.join(' ')}
      />
    </svg>
  )
}

function Compared({ runs }: { runs: string[] }) {
  const [axis, setAxis] = useState<Axis>('step')
  const [metric, setMetric] = useState<CompareMetric>('rewardMean')
  const { value, error, reload } = useRequest('compare.series', { runs, metric })
  if (error) return <Failure error={error} meaning="The runs themselves are not affected." onRetry={reload} />
  if (!value) return <Loading what="the runs’ steps" />
  return (
    <>
      <Differences series={value} />
      <Panel
        title={metricNames[metric]}
        className="compare-chart"
        aside={
          <>
            <Choice
              name="Figure"
              all={compareMetrics}
              words={metricNames}
              chosen={metric}
              onChoose={setMetric}
            />
            <Choice name="Axis" all={axes} words={axisNames} chosen={axis} onChoose={setAxis} />
          </>
        }
      >
        <div className="chart">
          <OverlayChart series={value} axis={axis} metric={metric} />
        </div>
      </Panel>
      <p className="compare-last">
        {value.map((one, at) => (
          <span key={one.run}>
            <Look at={at} /> {one.name}{' '}
            <b>{formatNumber(one.value.findLast((held) => held !== null) ?? null)}</b>{' '}
            <small className="dim">at step {one.step.at(-1) ?? '–'}</small>
          </span>
        ))}
      </p>
    </>
  )
}

const axisNames: Record<Axis, string> = { step: 'by step', rollouts: 'by rollouts', time: 'by time' }

type ChoiceProps<T extends string> = {
  name: string
  all: readonly T[]
  words: Record<T, string>
  chosen: T
  onChoose: (chosen: T) => void
}

function Choice<T extends string>({ name, all, words, chosen, onChoose }: ChoiceProps<T>) {
  return (
    <select aria-label={name} value={chosen} onChange={({ target }) => onChoose(target.value as T)}>
      {all.map((one) => (
        <option key={one} value={one}>
          {words[one]}
        </option>
      ))}
    </select>
  )
}

function Differences({ series }: { series: CompareSeries[] }) {
  const rows = specDifferences(series.map(({ spec }) => spec))
  return (
    <Panel title="What differs between their specs" aside={`${rows.length} of their knobs`}>
      {rows.length === 0 ? (
        <p className="dim">Nothing: what differs between the lines is chance, or the machine.</p>
      ) : (
        <div className="compare-table">
          <table>
            <thead>
              <tr>
                <th scope="col">knob</th>
                {series.map(({ run, name }) => (
                  <th key={run} scope="col" title={run}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ path, values }) => (
                <tr key={path}>
                  <th scope="row">{path}</th>
                  {values.map((value, at) => (
                    <td key={series[at]?.run}>{value ?? '–'}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}
