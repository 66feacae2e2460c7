import type { StepRow } from '#shared/journal/state.ts'
import type { LiveData } from '../../stores/live-data.ts'
import { stepClock } from './figures.ts'

export type PanelId =
  | 'rewards'
  | 'outcomes'
  | 'held-out'
  | 'silent'
  | 'parts'
  | 'loss'
  | 'time'
  | 'grading'
  | 'memory'
  | 'policy'
  | 'tokens'
  | 'tasks'

type Cell = string | number | null | undefined

/** RFC 4180. An unknown is an empty field, never 0. */
export function toCsv(rows: readonly Cell[][]): string {
  const field = (cell: Cell) => {
    const text = cell === null || cell === undefined ? '' : String(cell)
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  return rows.map((row) => `${row.map(field).join(',')}\r\n`).join('')
}

type Column = readonly [name: string, of: (row: StepRow, data: LiveData) => Cell]

const keysOf = (data: LiveData, of: (row: StepRow) => object): string[] =>
  [...new Set(data.steps.flatMap((row) => Object.keys(of(row))))].sort()

const columns: Partial<Record<PanelId, (data: LiveData) => Column[]>> = {
  outcomes: (data) =>
    keysOf(data, (row) => row.byStatus).map((status) => [
      status,
      (row) => row.byStatus[status as keyof StepRow['byStatus']] ?? 0,
    ]),
  'held-out': () => [
    ['reward_mean', (row) => row.rewardMean],
    ['reward_std', (row) => row.rewardStd],
    ['audit_passed', (row, data) => data.auditShare(row.step)?.passed],
    ['audit_judged', (row, data) => data.auditShare(row.step)?.judged],
  ],
  silent: () => [
    ['silent_groups', (row) => row.silentGroups],
    ['all_pass', (row) => row.allPassGroups],
    ['all_fail', (row) => row.allFailGroups],
    ['groups', (row) => row.groups],
  ],
  parts: (data) =>
    keysOf(data, (row) => row.components).flatMap((name): Column[] => [
      [name, (row) => row.components[name]],
      [`${name}_share_of_spread`, (row) => row.spreadShares[name]],
    ]),
  loss: () => [
    ['loss', (row) => row.loss],
    ['grad_norm', (row) => row.gradNorm],
    ['parameter_delta', (row) => row.parameterDelta],
  ],
  policy: () => [
    ['entropy', (row) => row.entropy],
    ['kl', (row) => row.kl],
  ],
  time: () => [
    ['generate_ms', (row) => row.stepMs?.generate],
    ['grade_ms', (row) => row.stepMs?.grade],
    ['update_ms', (row) => row.stepMs?.update],
  ],
  grading: () => [
    ['p50_ms', (row) => row.gradeMsP50],
    ['p95_ms', (row) => row.gradeMsP95],
    ['queue_p95_ms', (row) => row.queueMsP95],
    ['cold', (row) => row.coldGrades],
  ],
  tokens: () => [
    ['tokens_mean', (row) => row.tokensMean],
    ['truncated', (row) => row.truncated],
    ['generated', (row) => row.generated],
  ],
}

/** What a panel shows, as a table: a line a step, or a line a mark, sample or task where that is what it draws. */
export function csvOf(panel: PanelId, data: LiveData): string {
  if (panel === 'rewards')
    return toCsv([
      ['rollout', 'step', 'group', 'index', 'task', 'status', 'reward', 'audit_passes'],
      ...data
        .stepsWithPoints()
        .flatMap((step) =>
          data
            .pointsOf(step)
            .map((p): Cell[] => [
              p.id,
              p.step,
              p.g,
              p.i,
              p.task,
              p.s,
              p.r,
              p.a === null ? null : String(p.a),
            ]),
        ),
    ])
  if (panel === 'memory') return memoryCsv(data)
  if (panel === 'tasks')
    return toCsv([
      ['step', 'task', 'passed', 'graded'],
      ...data.steps.flatMap((row) =>
        Object.entries(row.tasks).map(([task, { passed, graded }]): Cell[] => [
          row.step,
          task,
          passed,
          graded,
        ]),
      ),
    ])
  const shown = columns[panel]?.(data) ?? []
  return toCsv([
    ['step', ...shown.map(([name]) => name)],
    ...data.steps.map((row) => [row.step, ...shown.map(([, of]) => of(row, data))]),
  ])
}

function memoryCsv(data: LiveData): string {
  const stepAt = stepClock(data)
  return toCsv([
    ['at', 'step', 'device', 'used_bytes', 'reserved_bytes', 'peak_bytes', 'total_bytes', 'utilisation'],
    ...data.memory.flatMap(({ at, devices }) =>
      devices.map((device): Cell[] => [
        at,
        stepAt(Date.parse(at))?.toFixed(2),
        device.name,
        device.usedBytes,
        device.reservedBytes,
        device.peakBytes,
        device.totalBytes,
        device.utilisation,
      ]),
    ),
  ])
}
