import { useState } from 'react'
import {
  type ClusterVerifierDraft,
  ClusterVerifierDraft as Schema,
  type VerifierOrigin,
} from '#shared/domain/placement.ts'
import type { ClusterLook, ContextView } from '#shared/ipc/clusters.ts'
import { go } from '../../app/router.ts'
import { Button } from '../../components/ui/button.tsx'
import { Failure, Loading } from '../../components/ui/states.tsx'
import { changeDraft, loadLaunchOptions } from '../../stores/launch.ts'
import { useRequest } from '../../stores/use-request.ts'
import { newClusterDraft, withOrigin } from './cluster-draft.ts'
import { ClusterFields } from './cluster-fields.tsx'
import { ObjectDiffs } from './object-diffs.tsx'

type Props = { context: ContextView; namespace: string; look: ClusterLook }

/** From what a run's verifier would be made, and every leaf of what would be made. Nothing is created here: a launch does that. */
export function PlanPane({ context, namespace, look }: Props) {
  const [draft, setDraft] = useState<ClusterVerifierDraft>(() =>
    newClusterDraft(context.context, namespace, look.shared),
  )
  const parsed = Schema.safeParse(draft)
  const asked = parsed.success ? { draft } : null
  const plan = useRequest('clusters.plan', asked, 0)
  const mayCreate = look.access.filter((row) => row.action === 'create').every((row) => row.allowed)
  const origins: VerifierOrigin['kind'][] =
    look.shared.length > 0 ? ['copy', 'manifest', 'shared'] : ['manifest']
  return (
    <div className="plan">
      <ClusterFields
        draft={draft}
        origins={origins}
        shared={look.shared}
        onChange={(changes) => setDraft((held) => ({ ...held, ...changes }))}
        onOrigin={(kind) => setDraft((held) => withOrigin(held, kind, look.shared))}
      />
      {asked === null ? (
        <p className="dim">{faultOf(parsed.error)}</p>
      ) : plan.error ? (
        <Failure error={plan.error} onRetry={plan.reload} />
      ) : plan.value === null ? (
        <Loading what="the shared verifier" />
      ) : (
        <>
          {plan.value.notes.length > 0 ? (
            <ul className="plan-notes">
              {plan.value.notes.map((note) => (
                <li key={note.path + note.text} className={`plan-note-${note.level}`}>
                  {note.path === '' ? null : <span className="mono">{note.path}</span>} {note.text}
                </li>
              ))}
            </ul>
          ) : null}
          <ObjectDiffs diffs={plan.value.diffs} />
        </>
      )}
      <div className="plan-actions">
        {mayCreate ? (
          <Button look="primary" disabled={asked === null} onClick={() => void launchWith(draft)}>
            Launch a run with it…
          </Button>
        ) : null}
        <span className="dim">
          {mayCreate
            ? context.writable
              ? 'It is made when the run is launched, after the checks.'
              : 'The cluster is read-only: allow changes before the launch.'
            : 'A right to create is missing, so no run can have a verifier here.'}
        </span>
      </div>
    </div>
  )
}

/** In words for the field at fault; a form that was just opened has no image yet. */
function faultOf(
  error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } | undefined,
): string {
  const issue = error?.issues[0]
  const field = String(issue?.path.at(-1) ?? '')
  return field === 'image' ? 'Name an image to see what would be made.' : `${field} ${issue?.message ?? ''}.`
}

async function launchWith(draft: ClusterVerifierDraft): Promise<void> {
  await loadLaunchOptions()
  changeDraft({ verifier: draft })
  go({ view: 'launch' })
}
