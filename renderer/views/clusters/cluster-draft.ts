import {
  type ClusterVerifierDraft,
  ClusterVerifierDraft as Schema,
  type VerifierOrigin,
} from '#shared/domain/placement.ts'
import type { SharedVerifier } from '#shared/ipc/clusters.ts'

const manifest: VerifierOrigin = {
  kind: 'manifest',
  image: '',
  pullPolicy: 'IfNotPresent',
  remote: null,
  suite: null,
}

/** A verifier after the shared one where there is one, else after the project's own manifest. */
export function newClusterDraft(
  context: string,
  namespace: string,
  shared: SharedVerifier[],
): ClusterVerifierDraft {
  const first = shared[0]
  const from: VerifierOrigin = first ? { kind: 'copy', deployment: first.name } : manifest
  // Parsed with a stand-in image, for the defaults; a person names the real one.
  const parsed = Schema.parse({
    kind: 'cluster',
    context,
    namespace,
    from: from.kind === 'manifest' ? { ...from, image: '-' } : from,
  })
  return { ...parsed, from }
}

export function withOrigin(
  draft: ClusterVerifierDraft,
  kind: VerifierOrigin['kind'],
  shared: SharedVerifier[],
): ClusterVerifierDraft {
  if (kind === 'manifest') return { ...draft, from: manifest }
  const deployment = draft.from.kind === 'manifest' ? (shared[0]?.name ?? '') : draft.from.deployment
  return { ...draft, from: { kind, deployment } }
}

/** Empty text is nothing said. */
export const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())
