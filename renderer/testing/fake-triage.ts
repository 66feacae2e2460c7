import type { Input, Queue, QueueName, RolloutRow, TriageList, Verdict } from '#shared/ipc/contract.ts'
import { fakeMechanisms } from './fake-audit.ts'
import type { FakeCore } from './fake-core.ts'
import { fakeRows } from './fake-rows.ts'

export const fakeQueueWords: Record<QueueName, Pick<Queue, 'label' | 'about' | 'filter'>> = {
  false_acceptances: {
    label: 'False acceptances',
    about: 'accepted, and the audit rejects',
    filter: 'is:false_acceptance',
  },
  false_rejections: {
    label: 'False rejections',
    about: 'rejected, and the audit passes',
    filter: 'is:false_rejection',
  },
  near_misses: {
    label: 'Near misses',
    about: 'failed with at least 90 % of the reward',
    filter: 'status:test_failed reward>=0.9',
  },
  tampered: { label: 'Tampered', about: 'left its function or forged a result', filter: 'status:tampered' },
  no_test_ran: { label: 'No test ran', about: 'an alarm about the grader', filter: 'status:no_test_ran' },
  unresolved: {
    label: 'Unresolved',
    about: 'the verifier could not say, or did not answer',
    filter: 'status:unresolved,unreachable',
  },
  silent_groups: { label: 'Silent groups', about: 'no spread of reward in the group', filter: 'is:silent' },
  suspicious: { label: 'Suspicious', about: 'accepted, and stands out beside the reference', filter: '' },
}

/** A list of the fake run, in groups by mechanism or by what the grade gives as its reason. */
export function fakeTriage(core: FakeCore, { queue, filter }: Input<'audit.queue'>): TriageList {
  const line = `${fakeQueueWords[queue].filter} ${filter}`.trim()
  const programs = new Map<string, RolloutRow[]>()
  for (const row of queue === 'suspicious' ? [] : fakeRows(core, line)) {
    const key = row.bodySha256 ?? row.rollout
    programs.set(key, [...(programs.get(key) ?? []), row])
  }
  const mechanisms = new Map(fakeMechanisms(core).map((one) => [one.example.bodySha256, one]))
  const groupOf = ([first]: RolloutRow[]) => {
    const mechanism = queue === 'false_acceptances' ? mechanisms.get(first?.bodySha256 ?? '') : undefined
    if (mechanism)
      return {
        id: mechanism.id,
        name: mechanism.name,
        about: mechanism.description,
        mechanism: mechanism.id,
      }
    const reason = first?.reason ?? first?.status ?? ''
    return { id: reason, name: reason.replaceAll('_', ' '), about: '', mechanism: null }
  }
  const listed = [...programs].map(([key, rows]) => ({ key, rows, group: groupOf(rows) }))
  const groups = new Map(listed.map(({ group }) => [group.id, { ...group, draws: 0, programs: 0 }]))
  for (const { group, rows } of listed) {
    const known = groups.get(group.id)
    if (!known) continue
    known.draws += rows.length
    known.programs += 1
  }
  const sorted = [...groups.values()].sort((a, b) => b.draws - a.draws)
  return {
    queue,
    filter: line,
    groups: sorted,
    rows: sorted.flatMap(({ id }) =>
      listed
        .filter(({ group }) => group.id === id)
        .flatMap(({ key, rows }) =>
          rows.slice(0, 1).map((row) => triageRow(core, key, id, row, rows.length)),
        ),
    ),
  }
}

function triageRow(core: FakeCore, key: string, group: string, row: RolloutRow, draws: number) {
  const { task, bodySha256, status, passed, tests, audit, rollout } = row
  const said = core.verdicts.get(bodySha256 ?? '')
  return {
    key,
    group,
    task,
    bodySha256,
    firstRollout: rollout,
    draws,
    status,
    passed,
    tests,
    audit,
    verdict: (said?.verdict ?? null) as Verdict | null,
    note: said?.note ?? '',
  }
}
