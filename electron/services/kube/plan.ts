import { AppError } from '#shared/base/errors.ts'
import type { ClusterPlacement, ClusterVerifierDraft } from '#shared/domain/placement.ts'
import type { ClusterPlan } from '#shared/ipc/clusters.ts'
import { type Derived, deriveVerifier, type Origin } from '#shared/kube/derive.ts'
import { labelsOf, managedLabel, manager, runLabel, verifierName } from '#shared/kube/names.ts'
import { diffAgainst } from '#shared/kube/object-diff.ts'
import type { KubeObject } from '#shared/kube/objects.ts'
import type { KubeClient } from './client.ts'
import { manifestOrigin } from './manifest.ts'
import { readOrigin } from './origin.ts'

/** What a run takes in a cluster: its own verifier, or (`shared`) the sole use of one that others have, too. */
export type VerifierPlan = {
  origin: Origin
  objects: KubeObject[]
  /** Selects the pods that grade for the run. */
  podLabels: Record<string, string>
  port: number
  /** The Secret with the token that the pods want to hear; null where they want none. */
  tokenSecret: string | null
  derived: Derived | null
}

type Asked = Pick<ClusterPlacement, 'from' | 'commit' | 'replicas' | 'isolation' | 'resources'>
export type ForRun = { run: string; namespace: string; workers: number }

/** @throws {AppError} `kube_not_found` where there is no such verifier to copy or share. */
export async function planVerifier(client: KubeClient, asked: Asked, forRun: ForRun): Promise<VerifierPlan> {
  const { from, ...options } = asked
  const origin =
    from.kind === 'manifest'
      ? await manifestOrigin(from)
      : await readOrigin(client, forRun.namespace, from.deployment)
  if (from.kind === 'shared') return sharedPlan(origin, forRun)
  const derived = deriveVerifier(origin, { ...options, ...forRun })
  return {
    origin,
    derived,
    objects: derived.objects,
    podLabels: { [runLabel]: forRun.run },
    port: derived.port,
    tokenSecret: `${derived.name}-token`,
  }
}

/** One hold a shared verifier, by a name that every run would give it: the cluster itself then refuses the second. */
function sharedPlan(origin: Origin, { run, namespace }: ForRun): VerifierPlan {
  const { deployment } = origin
  const name = deployment.metadata.name ?? ''
  const { containers, volumes = [] } = deployment.spec.template.spec
  const mounts = containers.flatMap((container) => container.volumeMounts ?? [])
  const token = volumes.find(
    (volume) =>
      volume.secret &&
      mounts.some((mount) => mount.name === volume.name && mount.mountPath === '/run/ringside'),
  )
  return {
    origin,
    derived: null,
    objects: [
      {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: verifierName(name, 'held'), namespace, labels: labelsOf(run) },
        spec: { holderIdentity: run },
      },
    ],
    podLabels: deployment.spec.selector.matchLabels ?? {},
    port: containers.flatMap((container) => container.ports ?? [])[0]?.containerPort ?? 8080,
    tokenSecret: token?.secret?.secretName ?? null,
  }
}

export const labelSelector = (labels: Record<string, string>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')

/** For a person to look at before there is a run: under a name that stands for the run's. */
export async function previewPlan(client: KubeClient, draft: ClusterVerifierDraft): Promise<ClusterPlan> {
  const forRun = { run: previewRun, namespace: draft.namespace, workers: 2 }
  const { origin, objects, derived } = await planVerifier(client, draft, forRun)
  const live = draft.from.kind === 'manifest' ? [] : [origin.deployment, origin.service]
  return {
    name: derived?.name ?? origin.deployment.metadata.name ?? '',
    diffs: diffAgainst(live, objects),
    notes: derived?.notes ?? [
      {
        level: 'warning',
        path: '',
        text: 'the shared verifier itself is used: whoever changes it changes this run',
      },
    ],
  }
}

export const previewRun = 'r-00000000-yourrn'

/** @throws {AppError} `kube_conflict` where a service, policy or other selector of somebody else's would pick the run's pods. */
export function checkSelectors(others: KubeObject[], run: string): void {
  const ours = labelsOf(run)
  for (const other of others) {
    if (other.metadata.labels?.[managedLabel] === manager) continue
    const { selector } = (other.spec ?? {}) as { selector?: Record<string, string> }
    const wanted = Object.entries(selector ?? {})
    if (wanted.length === 0 || !wanted.every(([key, value]) => ours[key] === value)) continue
    throw new AppError(
      'kube_conflict',
      `${other.kind} ${other.metadata.name} would take this run’s pods for its own.`,
    )
  }
}
