import type { Queue } from '#shared/ipc/contract.ts'
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

/** Enough of a hash that no two bodies of a run share it, and few enough bytes that many fit into one filter line. */
const prefixChars = 12
const longestFilter = 1900

/** The lists that want a look, each as the filter that makes it and how many rollouts that has. */
export async function queues(store: Store, run: string, suspicious: readonly string[]): Promise<Queue[]> {
  const named = suspicious.slice(0, Math.floor(longestFilter / (prefixChars + 1)))
  const cut =
    named.length < suspicious.length ? `; the first ${named.length} of ${suspicious.length} programs` : ''
  const suspects: Kind = {
    queue: 'suspicious',
    label: 'Suspicious',
    about: `accepted, but imports what the reference does not, is very short, constant, or the same for several tasks${cut}`,
    filter: named.length === 0 ? '' : `body:${named.map((sha256) => sha256.slice(0, prefixChars)).join(',')}`,
  }
  return Promise.all(
    [...fixed, suspects].map(async (kind) => ({ ...kind, rollouts: await count(store, run, kind.filter) })),
  )
}

async function count(store: Store, run: string, filter: string): Promise<number> {
  if (filter === '') return 0
  const page = store.handlers['rollouts.page']
  return (await page({ run, filter, sort: 'order', cursor: null, skip: 0, limit: 1 })).total
}
