import type { ClusterVerifierDraft } from '#shared/domain/placement.ts'
import type { LaunchDraft } from '#shared/ipc/contract.ts'
import { href } from '../../app/router.ts'
import { Button } from '../../components/ui/button.tsx'
import { changeDraft } from '../../stores/launch.ts'
import './verifier-choice.css'

/** Where bodies are executed. A verifier in a cluster is put together in Clusters, where its difference from the shared one is seen. */
export function VerifierChoice({ draft, fault }: { draft: LaunchDraft; fault: string | undefined }) {
  const { verifier } = draft
  return (
    <fieldset className="draft-section verifier-choice">
      <legend>
        Verifier <small className="draft-note">the run’s own, wherever it is</small>
      </legend>
      {verifier.kind === 'local' ? (
        <p>
          On this machine. <a href={href({ view: 'clusters' })}>Put it into a cluster…</a>
        </p>
      ) : (
        <>
          <p>{inWords(verifier)}</p>
          <p>
            <a href={href({ view: 'clusters' })}>Change it in Clusters</a>{' '}
            <Button look="quiet" onClick={() => changeDraft({ verifier: { kind: 'local' } })}>
              Use this machine instead
            </Button>
          </p>
        </>
      )}
      {fault && <small className="draft-fault">{fault}</small>}
    </fieldset>
  )
}

const made: Record<ClusterVerifierDraft['from']['kind'], string> = {
  copy: 'a copy of',
  manifest: 'from image',
  shared: 'the shared',
}

function inWords({ context, namespace, from, commit, replicas }: ClusterVerifierDraft): string {
  const what = from.kind === 'manifest' ? from.image : from.deployment
  const many = replicas === 1 ? '' : `, ${replicas} replicas`
  return `In ${context}, namespace ${namespace}: ${made[from.kind]} ${what}${many}, ${commit === null ? 'no commit pinned' : `commit ${commit.slice(0, 12)}`}.`
}
