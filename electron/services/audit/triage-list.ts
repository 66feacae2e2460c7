import type { Suspicion } from '#shared/audit/suspicion.ts'
import type { Input, QueueName, TriageGroup, TriageList, TriageRow } from '#shared/ipc/contract.ts'
import type { ProgramRow } from '../rollouts/programs.ts'
import type { Store } from '../store/store.ts'
import type { AuditService } from './audit.ts'
import { filterOf, type Suspects } from './queues.ts'

export type TriageDeps = { store: Store; audit: AuditService }

type Placed = { group: Omit<TriageGroup, 'draws' | 'programs'>; rows: ProgramRow[] }

const nobody: Suspects = { reasons: new Map(), read: 0, accepted: 0 }

/**
 * One of the lists as distinct programs in groups of what is alike there: mechanisms, tests that fail, reasons, groups of one step.
 * @throws {AppError} `bad_filter`
 */
export async function triageList(
  { store, audit }: TriageDeps,
  { run, queue, filter }: Input<'audit.queue'>,
  suspectsOf: () => Promise<Suspects>,
): Promise<TriageList> {
  const suspects = queue === 'suspicious' ? await suspectsOf() : nobody
  const base = filterOf(queue, suspects)
  const line = `${base} ${filter}`.trim()
  const programs =
    queue === 'suspicious'
      ? // By what was read and not by its filter, which holds only so many hashes.
        store.programs(run, filter).filter((row) => suspects.reasons.has(row.bodySha256 ?? ''))
      : store.programs(run, line, queue === 'silent_groups')
  const placed =
    queue === 'false_acceptances'
      ? await byMechanism(audit, run, programs)
      : byKey(programs, (row) => groupOf(queue, row, suspects.reasons.get(row.bodySha256 ?? '') ?? []))
  return { queue, filter: line, ...laidOut(placed) }
}

/** The mechanisms of the whole run, with the programs that the list has of them. */
async function byMechanism(audit: AuditService, run: string, programs: ProgramRow[]): Promise<Placed[]> {
  const listed = new Map(programs.map((row) => [`${row.task}/${row.bodySha256}`, row]))
  const { mechanisms } = await audit.findings(run)
  return mechanisms.flatMap(({ id, name, description, members }) => {
    const rows = members.flatMap((one) => listed.get(`${one.task}/${one.bodySha256}`) ?? [])
    return rows.length === 0 ? [] : [{ group: { id, name, about: description, mechanism: id }, rows }]
  })
}

type Group = Omit<TriageGroup, 'draws' | 'programs' | 'mechanism'>

function byKey(programs: ProgramRow[], of: (row: ProgramRow) => Group): Placed[] {
  const groups = new Map<string, Placed>()
  for (const row of programs) {
    const group = of(row)
    const known = groups.get(group.id)
    if (known) known.rows.push(row)
    else groups.set(group.id, { group: { ...group, mechanism: null }, rows: [row] })
  }
  return [...groups.values()]
}

function groupOf(
  queue: Exclude<QueueName, 'false_acceptances'>,
  row: ProgramRow,
  reasons: readonly Suspicion[],
): Group {
  switch (queue) {
    case 'silent_groups':
      return { id: `${row.step}/${row.group}`, name: `step ${row.step}, group ${row.group}`, about: row.task }
    case 'suspicious':
      return { id: reasons.join(), name: reasons.map((one) => suspicionWords[one]).join(', '), about: '' }
    case 'near_misses':
    case 'false_rejections':
      return byFailing(row)
    case 'tampered':
    case 'no_test_ran':
    case 'unresolved': {
      const reason = row.reason ?? 'no reason given'
      return { id: `${row.status} ${reason}`, name: reason.replaceAll('_', ' '), about: row.status }
    }
  }
}

const suspicionWords: Record<Suspicion, string> = {
  imports: 'imports what the reference does not',
  very_short: 'very short',
  constant: 'returns only constants',
  same_for_tasks: 'the same for several tasks',
}

/** Names shown of the tests that a group fails; the rest is a number. */
const namesShown = 3

function byFailing({ task, status, signature }: ProgramRow): Group {
  const failed = signature?.failed ?? []
  const id = `${task}\n${status}\n${failed.join('\n')}`
  if (failed.length === 0) return { id, name: status.replaceAll('_', ' '), about: task }
  const more = failed.length > namesShown ? ` and ${failed.length - namesShown} more` : ''
  return { id, name: `fails ${failed.slice(0, namesShown).join(', ')}${more}`, about: task }
}

function laidOut(placed: Placed[]): Pick<TriageList, 'groups' | 'rows'> {
  const sized = placed.map(({ group, rows }) => ({
    group: { ...group, programs: rows.length, draws: rows.reduce((sum, row) => sum + row.rollouts, 0) },
    rows,
  }))
  sized.sort((a, b) => b.group.draws - a.group.draws)
  return {
    groups: sized.map(({ group }) => group),
    rows: sized.flatMap(({ group, rows }) => rows.map((row) => rowOf(group.id, row))),
  }
}

function rowOf(group: string, row: ProgramRow): TriageRow {
  return {
    key: `${row.firstRollout} ${row.bodySha256 ?? ''}`,
    group,
    task: row.task,
    bodySha256: row.bodySha256,
    firstRollout: row.firstRollout,
    draws: row.rollouts,
    status: row.status,
    passed: row.passed,
    tests: row.tests,
    audit: row.audit && { status: row.audit.status, passed: row.audit.passed, total: row.audit.total },
    verdict: row.verdict?.verdict ?? null,
    note: row.verdict?.note ?? '',
  }
}
