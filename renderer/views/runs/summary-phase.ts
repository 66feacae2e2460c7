import type { RunSummary } from '#shared/ipc/contract.ts'
import type { Tone } from '../../components/ui/pill.tsx'

const stages: Record<string, string> = { grpo: 'GRPO', baseline: 'baseline', final_eval: 'final evaluation' }

/** A run's state in one word, and how to take it. */
export function summaryPhase(run: Pick<RunSummary, 'phase' | 'stage' | 'outcome'>): {
  label: string
  tone: Tone
} {
  switch (run.phase) {
    case 'pending':
      return { label: 'starting', tone: 'plain' }
    case 'blocked':
      return { label: 'blocked', tone: 'warn' }
    case 'running':
      return { label: stages[run.stage ?? ''] ?? run.stage ?? 'running', tone: 'good' }
    case 'finished': {
      const label = run.outcome ?? 'finished'
      if (run.outcome === 'completed') return { label, tone: 'accent' }
      return { label, tone: run.outcome === 'stopped' ? 'plain' : 'bad' }
    }
  }
}
