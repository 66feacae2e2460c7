import { formatCount, formatDuration, plural } from '../../app/format.ts'
import type { Route } from '../../app/routes.ts'
import type { LiveData } from '../../stores/live-data.ts'

/** Something that wants a decision, worst first. `to` is where its evidence is. */
export type Alarm = {
  key: string
  tone: 'alarm' | 'bad' | 'warn'
  title: string
  text: string
  to: Route | null
}

/** @param now the core's clock, ms. */
export function alarmsOf(run: string, data: LiveData, now: number): Alarm[] {
  const { head } = data
  if (!head) return []
  return [
    ...openBlock(run, data, now),
    ...falseAcceptances(run, data),
    ...graderFaults(run, data),
    ...journalFaults(run, data),
    ...trainerAlerts(run, data),
    ...pastBlocks(run, data),
    ...tampering(run, data),
  ]
}

const list = (run: string, filter: string): Route => ({ view: 'rollouts', run, filter })

function openBlock(run: string, { head }: LiveData, now: number): Alarm[] {
  const block = head?.blocks.findLast((candidate) => candidate.until === null)
  if (!block || head?.phase !== 'blocked') return []
  const waiting = (head.byStatus.unreachable ?? 0) + (head.byStatus.unresolved ?? 0)
  return [
    {
      key: 'blocked',
      tone: 'bad',
      title: `Verifier silent for ${formatDuration(Math.max(0, now - Date.parse(block.since)))}`,
      text: `${block.reason} ${block.step === null ? '' : `Step ${block.step} waits: `}${plural(waiting, 'rollout')} kept without a reward, attempt ${block.attempts}. It goes on by itself.`,
      to: list(run, 'reward:null'),
    },
  ]
}

function falseAcceptances(run: string, { falseAcceptances: found, head }: LiveData): Alarm[] {
  if (found.length === 0) return []
  const since = Math.min(...found.map((point) => point.step))
  return [
    {
      key: 'false-acceptances',
      tone: 'alarm',
      title: `${formatCount(found.length)} accepted, audit rejects`,
      text: `of ${formatCount(head?.byStatus.passed ?? 0)} accepted in training, since step ${since}. Open the audit.`,
      to: { view: 'audit', run },
    },
  ]
}

function graderFaults(run: string, { head }: LiveData): Alarm[] {
  const noTest = head?.byStatus.no_test_ran ?? 0
  const unresolved = head?.phase === 'blocked' ? 0 : (head?.byStatus.unresolved ?? 0)
  const alarms: Alarm[] = []
  if (noTest > 0)
    alarms.push({
      key: 'no-test-ran',
      tone: 'bad',
      title: `No test ran for ${plural(noTest, 'body', 'bodies')}`,
      text: 'They built, but the expected tests were not there: the suite or its filter is wrong. No reward was given.',
      to: list(run, 'status:no_test_ran'),
    })
  if (unresolved > 0)
    alarms.push({
      key: 'unresolved',
      tone: 'bad',
      title: `${plural(unresolved, 'grade')} unresolved`,
      text: 'The verifier cannot say what happened; they carry no reward. Look at the evidence.',
      to: list(run, 'status:unresolved'),
    })
  return alarms
}

function journalFaults(run: string, { head }: LiveData): Alarm[] {
  const faults = head?.faults ?? []
  const [first] = faults
  if (!first) return []
  const what =
    first.kind === 'corrupt'
      ? `a line ${first.reason}`
      : first.kind === 'gap'
        ? `event ${first.expected} is missing`
        : `event ${first.seq} came twice`
  return [
    {
      key: 'journal',
      tone: 'bad',
      title: `${plural(faults.length, 'fault')} in the journal`,
      text: `First at byte ${formatCount(first.offset)}: ${what}. The rest was read.`,
      to: { view: 'terminal', run },
    },
  ]
}

/** The latest of each kind: an alert that repeats every step is one alarm. */
function trainerAlerts(run: string, { head }: LiveData): Alarm[] {
  const latest = new Map((head?.alerts ?? []).map((alert) => [alert.code, alert]))
  return [...latest.values()]
    .filter((alert) => alert.level !== 'info')
    .slice(-3)
    .map((alert) => ({
      key: `alert ${alert.code}`,
      tone: alert.level === 'error' ? ('bad' as const) : ('warn' as const),
      title: alert.text,
      text: `${alert.code} · ${alert.at.slice(11, 19)}`,
      to: { view: 'terminal', run },
    }))
}

function pastBlocks(run: string, { head }: LiveData): Alarm[] {
  const past = (head?.blocks ?? []).filter((block) => block.until !== null)
  const last = past.at(-1)
  if (!last?.until) return []
  const ms = past.reduce(
    (sum, block) => sum + Date.parse(block.until ?? block.since) - Date.parse(block.since),
    0,
  )
  const where = last.step === null ? '' : `Step ${last.step}: `
  return [
    {
      key: 'was-blocked',
      tone: 'warn',
      title:
        past.length === 1
          ? `Verifier was silent ${formatDuration(ms)}`
          : `Verifier was silent ${past.length} times, ${formatDuration(ms)}`,
      text: `${where}the update waited, the rollouts were kept and graded when it was back.`,
      to: last.step === null ? null : list(run, `step=${last.step}`),
    },
  ]
}

function tampering(run: string, { head }: LiveData): Alarm[] {
  const count = head?.byStatus.tampered ?? 0
  if (count === 0) return []
  return [
    {
      key: 'tampered',
      tone: 'warn',
      title: `${plural(count, 'body', 'bodies')} tampered`,
      text: 'Caught, reward 0. See what they tried.',
      to: list(run, 'status:tampered'),
    },
  ]
}
