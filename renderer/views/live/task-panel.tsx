import { useDeferredValue, useMemo, useState } from 'react'
import { formatShare, plural } from '../../app/format.ts'
import { ChartCanvas, type Painter } from '../../components/charts/chart-canvas.tsx'
import { chartFont } from '../../components/charts/plot-area.ts'
import { linearScale } from '../../components/charts/scale.ts'
import { liveData, useLiveData } from '../../stores/live.ts'
import type { LiveData } from '../../stores/live-data.ts'
import { useThrottled } from '../../stores/use-request.ts'
import type { Tokens } from '../../theme/tokens.ts'
import { StepPanel } from './step-panel.tsx'
import { heatCells, type TaskOrder, type TaskRow, TaskTally } from './task-heat.ts'

/** Rows lower than this cannot be told apart, px: the rest is in the table that the panel saves. */
const leastRow = 9
const leastColumn = 2
/** Above this a scan of them takes longer than a frame. */
const manySteps = 1000
const orders: TaskOrder[] = ['variance', 'rate', 'name']

const tallies = new WeakMap<LiveData, TaskTally>()

function tallyOf(data: LiveData): TaskTally {
  const held = tallies.get(data) ?? new TaskTally()
  tallies.set(data, held)
  return held
}

/** Task by step, the darker the more of its rollouts passed; a cell without a grade stays empty. */
export function TasksPanel() {
  const data = useLiveData()
  const [order, setOrder] = useState<TaskOrder>('variance')
  // A scan of all tasks of all steps: of a run that moves many times a second, now and then.
  const throttled = useThrottled(data.version, data.steps.length > manySteps ? 1000 : 0)
  // Of the first scan nothing else on the board has to wait.
  const version = useDeferredValue(throttled, -1)
  const tasks = useMemo(
    () => (version < 0 ? [] : tallyOf(data).take(data.steps).rows(order)),
    [data, version, order],
  )
  const next = orders[(orders.indexOf(order) + 1) % orders.length] ?? 'variance'
  return (
    <StepPanel
      title="Tasks"
      readings={(row) =>
        tasks.slice(0, 2).map(({ task }) => {
          const cell = row?.tasks[task]
          return {
            label: task,
            token: 'passed' as const,
            value: cell ? formatShare(cell.passed, cell.graded) : '–',
            title: cell ? `${cell.passed} of ${cell.graded} graded` : 'not drawn in this step',
          }
        })
      }
      aside={() => (
        <button type="button" className="panel-sort" onClick={() => setOrder(next)} title={`Sort by ${next}`}>
          {plural(tasks.length, 'task')} by {order}
        </button>
      )}
    >
      {(domain, inset) => (
        <ChartCanvas
          paint={painter(tasks, domain, inset.left, inset.right)}
          version={`${version} ${order} ${domain}`}
          label={`Pass rate of ${plural(tasks.length, 'task')} by step, sorted by ${order}`}
        />
      )}
    </StepPanel>
  )
}

function painter(tasks: readonly TaskRow[], domain: [number, number], left: number, right: number): Painter {
  return (context, { width, height }, tokens) => {
    const { steps } = liveData()
    const rows = tasks.slice(0, Math.max(1, Math.floor(height / leastRow)))
    const x = linearScale(domain, [left, width - right])
    const together = Math.max(1, Math.ceil(leastColumn / (x.at(1) - x.at(0))))
    const cell = { width: (x.at(1) - x.at(0)) * together, height: Math.min(26, height / rows.length) }
    context.font = chartFont
    context.textBaseline = 'middle'
    context.textAlign = 'right'
    for (const [at, { task }] of rows.entries()) {
      const y = at * cell.height
      context.fillStyle = tokens.dim
      context.fillText(task.length > 7 ? `${task.slice(0, 6)}…` : task, left - 5, y + cell.height / 2)
      for (const [column, { passed, graded }] of heatCells(steps, task, (step) =>
        Math.floor(step / together),
      )) {
        const place = x.at(column * together + (together - 1) / 2) - cell.width / 2
        if (graded === 0 || place < left - 1 || place > width - right) continue
        paintCell(context, { x: place, y, ...cell }, passed / graded, tokens)
      }
    }
  }
}

function paintCell(
  context: CanvasRenderingContext2D,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
  rate: number,
  tokens: Tokens,
): void {
  const gap = width > 4 ? 0.8 : 0
  context.fillStyle = tokens.raise
  context.fillRect(x, y + 0.5, width - gap, height - 1)
  context.globalAlpha = 0.08 + 0.92 * rate
  context.fillStyle = tokens.passed
  context.fillRect(x, y + 0.5, width - gap, height - 1)
  context.globalAlpha = 1
}
