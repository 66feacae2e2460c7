import { formatNumber } from '../../app/format.ts'
import { LineChart } from '../../components/charts/line-chart.tsx'
import { niceTicks } from '../../components/charts/scale.ts'
import { liveData, useLiveData } from '../../stores/live.ts'
import type { Tokens } from '../../theme/tokens.ts'
import { columnsOf, type Figure, rangeOf } from './step-columns.ts'
import { StepPanel } from './step-panel.tsx'

type Row = {
  label: string
  title?: string
  token: keyof Tokens
  value: Figure
  /** Values that the axis must hold. */
  include?: number[]
}

/** Several measures of different kinds, one above the other, each on a scale of its own: one shared scale would flatten all but one. */
function RowsPanel({ title, rows }: { title: string; rows: Row[] }) {
  const data = useLiveData()
  return (
    <StepPanel
      title={title}
      readings={(row) =>
        rows.map(({ label, title, token, value }) => ({
          label,
          ...(title ? { title } : {}),
          token,
          value: formatNumber(row && value(row), 2),
        }))
      }
    >
      {(domain, inset) => (
        <div className="chart-rows">
          {rows.map(({ label, token, value, include = [] }) => {
            const range = () => rangeOf(liveData(), [value], include) ?? [0, 1]
            return (
              <div key={label} className="chart-row">
                <LineChart
                  lines={[{ token }]}
                  columns={() => columnsOf(liveData(), [value])}
                  version={data.version}
                  domain={domain}
                  inset={{ ...inset, top: 3, bottom: 3 }}
                  range={range}
                  ticks={extremeTicks}
                  format={formatNumber}
                  label={`${label} by step`}
                />
              </div>
            )
          })}
        </div>
      )}
    </StepPanel>
  )
}

/** Zero where it is inside, else the greatest that fits: a row is too low for more than one label. */
const extremeTicks = ([low, high]: [number, number]): number[] => {
  if (low < 0 && high > 0) return [0]
  return [niceTicks([low, high * 0.85], 2).at(-1) ?? low]
}

/** The loss alone can be 0 while everything moves: beside it, what does move. */
export const LossPanel = () => <RowsPanel title="Loss" rows={lossRows} />

export const PolicyPanel = () => <RowsPanel title="Policy" rows={policyRows} />

const lossRows: Row[] = [
  { label: 'loss', token: 'no_answer', value: (row) => row.loss, include: [0] },
  {
    label: 'grad',
    title: 'norm of the gradient',
    token: 'accent',
    value: (row) => row.gradNorm,
    include: [0],
  },
  {
    label: 'Δθ',
    title: 'norm of the change of the parameters',
    token: 'second',
    value: (row) => row.parameterDelta,
    include: [0],
  },
]

const policyRows: Row[] = [
  { label: 'entropy', token: 'accent', value: (row) => row.entropy, include: [0] },
  { label: 'KL', token: 'third', value: (row) => row.kl, include: [0] },
]
