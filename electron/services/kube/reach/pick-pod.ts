import { z } from 'zod'
import type { KubeClient } from '../client.ts'

/** Of a pod, what says whether it can be spoken to. */
const Pod = z.object({
  metadata: z.object({
    name: z.string(),
    uid: z.string(),
    creationTimestamp: z.string(),
    deletionTimestamp: z.string().optional(),
  }),
  status: z.object({
    phase: z.string().default('Unknown'),
    conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })).default([]),
  }),
})
const Pods = z.object({ items: z.array(Pod) })
type Pod = z.infer<typeof Pod>

export type PodName = { name: string; uid: string }

/** One pod by its name, or any that has these labels. */
export type PodChoice = { namespace: string } & ({ pod: string } | { selector: string })

/**
 * The pod to speak to: of those that run and are not being deleted a ready one before others, then the youngest. A running pod that is not
 * ready is taken too where there is no better: it may be the one whose health says why.
 * @returns the pod, or why there is none, for people.
 */
export async function pickPod(client: KubeClient, choice: PodChoice): Promise<PodName | string> {
  const query =
    'pod' in choice ? { fieldSelector: `metadata.name=${choice.pod}` } : { labelSelector: choice.selector }
  const listed = await client.json(`/api/v1/namespaces/${choice.namespace}/pods`, { query })
  const pods = Pods.parse(listed).items
  const usable = pods.filter(
    ({ metadata, status }) => !metadata.deletionTimestamp && status.phase === 'Running',
  )
  const best = usable.sort(
    (a, b) =>
      Number(isReady(b)) - Number(isReady(a)) ||
      (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? 1 : -1),
  )[0]
  if (best) return { name: best.metadata.name, uid: best.metadata.uid }
  const what = 'pod' in choice ? choice.pod : choice.selector
  if (pods.length === 0) return `there is no pod ${what}`
  return pods
    .map(
      ({ metadata, status }) => `${metadata.name} is ${metadata.deletionTimestamp ? 'ending' : status.phase}`,
    )
    .join(', ')
}

const isReady = ({ status }: Pod) =>
  status.conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True')
