import { toast } from 'sonner'
import { create } from 'zustand'
import { toAppError } from '#shared/base/errors.ts'
import { ask } from '../../app/core.ts'
import type { Given, Judged } from './review.ts'

type Step = { run: string; bodySha256: string; before: Judged; after: Judged }

type VerdictState = {
  /** By run, then by body: said here, and shown at once. */
  given: Record<string, Given>
  undo: Step[]
}

export const useVerdicts = create<VerdictState>()(() => ({ given: {}, undo: [] }))

/** Says what a body is. It is shown at once; where the core cannot keep it, it is taken back and said so. */
export async function judge(run: string, bodySha256: string, before: Judged, after: Judged): Promise<void> {
  useVerdicts.setState(({ undo }) => ({ undo: [...undo, { run, bodySha256, before, after }] }))
  if (await put(run, bodySha256, after, before)) return
  useVerdicts.setState(({ undo }) => ({ undo: undo.slice(0, -1) }))
}

/** Takes the last verdict or note back, exactly. @returns the body it was about, null where there is nothing to take back. */
export async function undoLast(run: string): Promise<string | null> {
  const step = useVerdicts.getState().undo.findLast((one) => one.run === run)
  if (step === undefined) return null
  useVerdicts.setState(({ undo }) => ({ undo: undo.filter((one) => one !== step) }))
  await put(run, step.bodySha256, step.before, step.after)
  return step.bodySha256
}

async function put(run: string, bodySha256: string, wanted: Judged, otherwise: Judged): Promise<boolean> {
  show(run, bodySha256, wanted)
  try {
    await ask('audit.verdict', { run, bodySha256, ...wanted })
    return true
  } catch (thrown) {
    show(run, bodySha256, otherwise)
    const { message, hint } = toAppError(thrown)
    toast.error(`The verdict was not kept: ${message}`, { description: hint })
    return false
  }
}

function show(run: string, bodySha256: string, judged: Judged): void {
  useVerdicts.setState(({ given }) => ({
    given: { ...given, [run]: { ...given[run], [bodySha256]: judged } },
  }))
}
