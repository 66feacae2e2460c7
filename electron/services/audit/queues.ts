import type { Suspicion } from '#shared/audit/suspicion.ts'
import type { Queue, QueueName } from '#shared/ipc/contract.ts'
import type { Store } from '../store/store.ts'

type Kind = Omit<Queue, 'rollouts'>

const fixed: Kind[] = [
  {
    queue: 'false_acceptances',
    label: 'False acceptances',
    about: 'accepted, and the audit rejects',
    filter: 'is:false_acceptance',
  },
  {
    queue: 'false_rejections',
    label: 'False rejections',
    about: 'rejected, and the audit passes',
    filter: 'is:false_rejection',
  },
  {
    queue: 'near_misses',
    label: 'Near misses',
    about: 'failed with at least 90 % of the reward',
    filter: 'status:test_failed reward>=0.9',
  },
  {
    queue: 'tampered',
    label: 'Tampered',
    about: 'left its function, forged a result or reached for what is withheld',
    filter: 'status:tampered',
  },
  {
    queue: 'no_test_ran',
    label: 'No test ran',
    about: 'the expected tests did not run: an alarm about the grader',
    filter: 'status:no_test_ran',
  },
  {
    queue: 'unresolved',
    label: 'Unresolved',
    about: 'the verifier could not say, or did not answer',
    filter: 'status:unresolved,unreachable',
  },
  {
    queue: 'silent_groups',
    label: 'Silent groups',
    about: 'no spread of reward in the group, so nothing to learn from',
    filter: 'is:silent',
  },
]

/** Accepted bodies that stand out, by hash, and how many of all accepted ones were looked at. */
export type Suspects = { reasons: ReadonlyMap<string, readonly Suspicion[]>; read: number; accepted: number }

/** Enough of a hash that no two bodies of a run share it, and few enough bytes that many fit into one filter line. */
const prefixChars = 12
const longestFilter = 1900

/** The filter that makes a list; the suspicious are known by reading, so their filter names them, as many as a filter line holds. */
export function filterOf(queue: QueueName, { reasons }: Suspects): string {
  const kind = fixed.find((one) => one.queue === queue)
  if (kind) return kind.filter
  const named = [...reasons.keys()].slice(0, Math.floor(longestFilter / (prefixChars + 1)))
  return named.length === 0 ? '' : `body:${named.map((sha256) => sha256.slice(0, prefixChars)).join(',')}`
}

/** The lists that want a look, each as the filter that makes it and how many rollouts that has. */
export async function queues(store: Store, run: string, suspects: Suspects): Promise<Queue[]> {
  const { reasons, read, accepted } = suspects
  const kind: Kind = {
    queue: 'suspicious',
    label: 'Suspicious',
    about: `accepted, but imports what the reference does not, is very short, constant, or the same for several tasks${
      read < accepted ? `; ${read} of ${accepted} programs read so far` : ''
    }`,
    filter: filterOf('suspicious', suspects),
  }
  const listed = await Promise.all(
    fixed.map(async (one) => ({ ...one, rollouts: await count(store, run, one.filter) })),
  )
  const draws = store
    .bodies(run)
    .reduce((sum, body) => sum + (reasons.has(body.bodySha256) ? body.rollouts : 0), 0)
  return [...listed, { ...kind, rollouts: draws }]
}

async function count(store: Store, run: string, filter: string): Promise<number> {
  const page = store.handlers['rollouts.page']
  return (await page({ run, filter, sort: 'order', cursor: null, skip: 0, limit: 1 })).total
}
