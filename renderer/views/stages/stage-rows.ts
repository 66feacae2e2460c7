import type { RunSpec } from '#shared/domain/run.ts'
import type { RunState, StageRow } from '#shared/journal/state.ts'
import type { Tone } from '../../components/ui/pill.tsx'

export type ShownStage = {
  name: string
  label: string
  state: string
  tone: Tone
  startedAt: string | null
  /** Null while it goes on, and where it was not begun. */
  tookMs: number | null
  /** What it came to, in one line; empty where there is nothing to say yet. */
  says: string
}

const labels: Record<string, string> = {
  baseline: 'Baseline evaluation',
  cpt: 'Continued pretraining',
  sft: 'SFT',
  dpo: 'DPO',
  kto: 'KTO',
  grpo: 'GRPO',
  recovery: 'Recovery SFT',
  final_eval: 'Final evaluation',
}

const embedded = ['baseline', 'grpo', 'final_eval']

/** Every stage of the spec in its order, begun or not; then those that the journal tells of and the spec does not. */
export function stageRows(state: RunState, spec: RunSpec): ShownStage[] {
  const planned =
    spec.trainer.kind === 'pipeline' ? spec.trainer.stages.map(({ stage }) => stage as string) : embedded
  const begun = new Map(state.stages.map((row) => [row.stage, row]))
  const others = state.stages.map(({ stage }) => stage).filter((stage) => !planned.includes(stage))
  return [...planned, ...others].map((name) => shown(name, begun.get(name), state))
}

function shown(name: string, row: StageRow | undefined, state: RunState): ShownStage {
  const { label, tone } = judged(row, state)
  const tookMs =
    row?.finishedAt === undefined || row.finishedAt === null
      ? null
      : Date.parse(row.finishedAt) - Date.parse(row.startedAt)
  return {
    name,
    label: labels[name] ?? name,
    state: label,
    tone,
    startedAt: row?.startedAt ?? null,
    tookMs,
    says: row ? says(row, state) : '',
  }
}

function judged(row: StageRow | undefined, state: RunState): { label: string; tone: Tone } {
  if (!row) return { label: state.outcome === null ? 'waiting' : 'not reached', tone: 'plain' }
  if (row.outcome === null) {
    if (state.outcome !== null) return { label: state.outcome, tone: 'warn' }
    return state.phase === 'blocked'
      ? { label: 'blocked', tone: 'warn' }
      : { label: 'running', tone: 'accent' }
  }
  return { label: row.outcome, tone: row.outcome === 'completed' ? 'good' : 'bad' }
}

function says(row: StageRow, state: RunState): string {
  if (row.outcome === 'failed') {
    const alert = state.alerts.findLast(
      ({ level, at }) => level === 'error' && at >= row.startedAt && at <= (row.finishedAt ?? at),
    )
    return alert?.text ?? state.reason ?? ''
  }
  if (row.stage === 'grpo') return `${state.step ?? 0} of ${state.planned ?? '?'} updates`
  const policy = row.stage === 'baseline' ? 'baseline' : row.stage === 'final_eval' ? 'final' : null
  const evaluation = state.evals.find((one) => one.policy === policy)
  if (!evaluation) return ''
  const { passed, drawn, planned, finished } = evaluation
  const partial = drawn < planned && finished ? `, partial: ${planned} were planned` : ''
  return `${passed} of ${drawn} draws pass the run’s suite${partial}`
}
