import { toast } from 'sonner'
import { toAppError } from '#shared/base/errors.ts'
import { ask } from '../../app/core.ts'

/** Audits a share of the accepted bodies from here on, and on demand what training rejected; what was audited before stays audited. */
export async function askAudit(run: string, share: number, rejected: boolean): Promise<void> {
  try {
    const { started } = await ask('audit.start', { run, share, rejected })
    if (!started) toast('The audit already has everything there is.')
  } catch (thrown) {
    const { message, hint } = toAppError(thrown)
    toast.error(message, { description: hint })
  }
}
