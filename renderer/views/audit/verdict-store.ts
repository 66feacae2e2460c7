import { toast } from 'sonner'
import { create } from 'zustand'
import { toAppError } from '#shared/base/errors.ts'
import type { TriageRow, Verdict } from '#shared/ipc/contract.ts'
import { ask } from '../../app/core.ts'
import { plural } from '../../app/format.ts'
import type { Given, Judged } from './review.ts'

export type Change = { bodySha256: string; before: Judged; after: Judged }
/** One thing that was said, of one program or of many: taken back as one. */
type Step = { run: string; changes: Change[] }

type VerdictState = {
  /** By run, then by body: said here, and shown at once. */
  given: Record<string, Given>
  undo: Step[]
}

export const useVerdicts = create<VerdictState>()(() => ({ given: {}, undo: [] }))

/** Says what bodies are. It is shown at once; what the core cannot keep is taken back, and that is said. */
export async function judge(run: string, changes: Change[]): Promise<void> {
  if (changes.length === 0) return
  const step: Step = { run, changes }
  useVerdicts.setState(({ undo }) => ({ undo: [...undo, step] }))
  const kept = await put(run, changes, 'after')
  if (kept.length > 0) return
  useVerdicts.setState(({ undo }) => ({ undo: undo.filter((one) => one !== step) }))
}

/** The same said of every program in `open`, each with its own note. */
export const judgeAll = (run: string, open: readonly TriageRow[], verdict: Verdict): Promise<void> =>
  judge(run, changesOf(open, verdict))

function changesOf(open: readonly TriageRow[], verdict: Verdict): Change[] {
  // In a list by groups a program may stand more than once.
  const bodies = new Map(
    open.flatMap(({ bodySha256, note }) => (bodySha256 === null ? [] : [[bodySha256, note]])),
  )
  return [...bodies].map(([bodySha256, note]) => ({
    bodySha256,
    before: { verdict: null, note },
    after: { verdict, note },
  }))
}

/** Takes the last step back, exactly. @returns a body it was about, null where there is nothing to take back. */
export async function undoLast(run: string): Promise<string | null> {
  const step = useVerdicts.getState().undo.findLast((one) => one.run === run)
  if (step === undefined) return null
  useVerdicts.setState(({ undo }) => ({ undo: undo.filter((one) => one !== step) }))
  await put(run, step.changes, 'before')
  return step.changes[0]?.bodySha256 ?? null
}

/** In one request, however many there are. @returns the changes that the core kept: all, or none; then they are shown as they were. */
async function put(run: string, changes: Change[], wanted: 'before' | 'after'): Promise<Change[]> {
  show(run, changes, wanted)
  try {
    const verdicts = changes.map((change) => ({ bodySha256: change.bodySha256, ...change[wanted] }))
    await ask('audit.verdicts', { run, verdicts })
    return changes
  } catch (thrown) {
    show(run, changes, wanted === 'after' ? 'before' : 'after')
    const { message, hint } = toAppError(thrown)
    toast.error(`${plural(changes.length, 'verdict')} not kept: ${message}`, { description: hint })
    return []
  }
}

function show(run: string, changes: Change[], which: 'before' | 'after'): void {
  const shown = Object.fromEntries(changes.map((change) => [change.bodySha256, change[which]]))
  useVerdicts.setState(({ given }) => ({ given: { ...given, [run]: { ...given[run], ...shown } } }))
}
