import { formatNumber, formatShare } from '../../app/format.ts'
import { LineChart } from '../../components/charts/line-chart.tsx'
import { niceTicks } from '../../components/charts/scale.ts'
import { liveData, useLiveData } from '../../stores/live.ts'
import { columnsOf, type Figure, rangeOf } from './step-columns.ts'
import { StepPanel } from './step-panel.tsx'

const tokensMean: Figure = (row) => row.tokensMean
const cutShare: Figure = (row) => (row.generated === 0 ? null : row.truncated / row.generated)

/** How long completions are, and how many of them end at the limit. */
export function TokensPanel() {
  const data = useLiveData()
  return (
    <StepPanel
      title="Tokens"
      readings={(row) => [
        { label: 'mean', token: 'accent', value: formatNumber(row?.tokensMean ?? null) },
        {
          label: 'cut off',
          token: 'bad',
          look: 'dashed',
          value: row ? formatShare(row.truncated, row.generated) : '–',
          title: row ? `${row.truncated} of ${row.generated} reached the token limit` : '',
        },
      ]}
    >
      {(domain, inset) => (
        <div className="chart-rows">
          <div className="chart-row">
            <LineChart
              lines={[{ token: 'accent' }]}
              columns={() => columnsOf(liveData(), [tokensMean])}
              version={data.version}
              domain={domain}
              inset={{ ...inset, top: 3, bottom: 3 }}
              range={() => rangeOf(liveData(), [tokensMean], [0]) ?? [0, 1]}
              ticks={([low, high]) => niceTicks([low, high * 0.85], 2).slice(-1)}
              format={formatNumber}
              label="Mean tokens of a completion by step"
            />
          </div>
          <div className="chart-row">
            <LineChart
              lines={[{ token: 'bad' }]}
              columns={() => columnsOf(liveData(), [cutShare])}
              version={data.version}
              domain={domain}
              inset={{ ...inset, top: 3, bottom: 3 }}
              range={() => [0, 1.2]}
              ticks={() => [0, 1]}
              format={(value) => (value === 0 ? '0' : `${100 * value} %`)}
              label="Share of completions cut at the token limit by step"
            />
          </div>
        </div>
      )}
    </StepPanel>
  )
}
