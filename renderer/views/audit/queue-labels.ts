import type { QueueName } from '#shared/ipc/contract.ts'

export const queueLabels: Record<QueueName, string> = {
  false_acceptances: 'False acceptances',
  false_rejections: 'False rejections',
  near_misses: 'Near misses',
  tampered: 'Tampered',
  no_test_ran: 'No test ran',
  unresolved: 'Unresolved',
  silent_groups: 'Silent groups',
  suspicious: 'Suspicious',
}
