import { z } from 'zod'
import type { AccessRow } from '#shared/ipc/clusters.ts'
import type { KubeClient } from './client.ts'
import { type Kind, resourceOf } from './kinds.ts'

const Review = z.object({
  status: z.object({ allowed: z.boolean(), reason: z.string().optional() }),
})

type Right = { action: string; verb: string; kind: Kind; subresource?: string }

/** What a person does in a cluster, and what each needs. Names are the window's: a button is there where all of its rights are. */
const rights: Right[] = [
  ...(['Deployment', 'Service', 'Pod'] as const).map((kind) => ({ action: 'look', verb: 'list', kind })),
  ...(['Deployment', 'Service', 'NetworkPolicy', 'Secret', 'ConfigMap'] as const).flatMap((kind) =>
    (['create', 'delete'] as const).map((verb) => ({
      action: verb === 'create' ? 'create' : 'remove',
      verb,
      kind,
    })),
  ),
  { action: 'watch', verb: 'watch', kind: 'Pod' },
  { action: 'logs', verb: 'get', kind: 'Pod', subresource: 'log' },
  // A forward begins as a GET that becomes a WebSocket; kubectl's older way is a POST and needs `create`.
  { action: 'reach', verb: 'get', kind: 'Pod', subresource: 'portforward' },
  { action: 'hold', verb: 'create', kind: 'Lease' },
]

/** Asks the cluster itself what this user may do, right by right; nothing is concluded from roles. */
export async function reviewAccess(client: KubeClient, namespace: string): Promise<AccessRow[]> {
  return Promise.all(
    rights.map(async ({ action, verb, kind, subresource }) => {
      const { group, resource } = resourceOf(kind)
      const body = {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: {
          resourceAttributes: { namespace, verb, group, resource, ...(subresource && { subresource }) },
        },
      }
      const reply = await client.json('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        method: 'POST',
        body,
      })
      const what = `${verb} ${resource}${subresource ? `/${subresource}` : ''}`
      return { action, what, allowed: Review.parse(reply).status.allowed }
    }),
  )
}

export const lacking = (rows: AccessRow[], actions: string[]): string[] =>
  rows.filter((row) => actions.includes(row.action) && !row.allowed).map((row) => row.what)
