import { z } from 'zod'
import type { ClusterLook } from '#shared/ipc/clusters.ts'
import type { Handlers } from '#shared/ipc/contract.ts'
import type { LeaseLedger } from '../leases/ledger.ts'
import { reviewAccess } from './access.ts'
import { type Clusters, namespaceUid } from './clusters.ts'
import { findShared } from './origin.ts'
import { previewPlan } from './plan.ts'
import { describeOurs, findOurs } from './sweep.ts'
import type { ClusterVerifiers } from './verifiers.ts'

type ClusterRequests =
  | 'clusters.list'
  | 'clusters.setWritable'
  | 'clusters.look'
  | 'clusters.plan'
  | 'clusters.timeline'

type ClusterParts = { clusters: Clusters; verifiers: ClusterVerifiers; ledger: LeaseLedger }

const Version = z.object({ gitVersion: z.string() })

/** The requests about clusters. Nothing here changes one. */
export function clusterHandlers(
  { clusters, verifiers, ledger }: ClusterParts,
  onChange: () => void,
): Pick<Handlers, ClusterRequests> {
  return {
    'clusters.list': () => clusters.list(),
    'clusters.setWritable': async ({ cluster, writable }) => {
      await clusters.setWritable(cluster, writable)
      onChange()
      return clusters.list()
    },
    'clusters.look': ({ context, namespace }) => look(clusters, ledger, context, namespace),
    'clusters.plan': async ({ draft }) => previewPlan(await clusters.client(draft.context), draft),
    'clusters.timeline': ({ run }) => verifiers.timeline(run),
  }
}

/** What this user may not see is left empty; the rights say why. */
async function look(
  clusters: Clusters,
  ledger: LeaseLedger,
  context: string,
  namespace: string,
): Promise<ClusterLook> {
  const client = await clusters.client(context)
  const version = Version.parse(await client.json('/version')).gitVersion
  const access = await reviewAccess(client, namespace)
  const mayLook = access.filter((row) => row.action === 'look').every((row) => row.allowed)
  return {
    version,
    namespaceUid: await namespaceUid(client, namespace).catch(() => null),
    access,
    shared: mayLook ? await findShared(client, namespace) : [],
    ours: mayLook ? describeOurs((await findOurs(client, namespace)).objects, ledger) : [],
  }
}
