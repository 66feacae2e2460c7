import type { MemorySample } from '../journal/state.ts'
import type { Alarm, AlarmCode, AlarmFacts } from './alarm.ts'
import { limits } from './limits.ts'
import { verifierDrift } from './verifier-rules.ts'
import { count, known, lasting, median, percent } from './words.ts'

type RunRule = (facts: AlarmFacts) => Alarm | null

const openBlock = ({ state }: AlarmFacts) =>
  state.phase === 'blocked' ? state.blocks.findLast((block) => block.until === null) : undefined

const verifierSilent: RunRule = (facts) => {
  const block = openBlock(facts)
  if (!block || isEvicted(block.reason)) return null
  const { byStatus } = facts.state
  const waiting = (byStatus.unreachable ?? 0) + (byStatus.unresolved ?? 0)
  const ms = facts.nowMs - Date.parse(block.since)
  return {
    code: 'verifier_silent',
    level: 'error',
    title: `Verifier silent for ${lasting(ms)}`,
    text: `${block.reason} ${block.step === null ? '' : `Step ${block.step} waits: `}${count(waiting, 'rollout')} kept without a reward, attempt ${block.attempts}. It goes on by itself.`,
    evidence: { sinceMs: ms, attempts: block.attempts, waiting },
    link: { view: 'rollouts', filter: 'reward:null' },
    step: block.step,
    since: block.since,
  }
}

const isEvicted = (text: string): boolean => /evict/i.test(text)

/** A pod that its node threw out: the block says so, or the trainer did. */
const eviction: RunRule = ({ state }) => {
  const block = state.blocks.findLast(({ reason }) => isEvicted(reason))
  const alert = state.alerts.findLast(({ code, text }) => isEvicted(code) || isEvicted(text))
  const since = block?.since ?? alert?.at
  if (since === undefined) return null
  return {
    code: 'eviction',
    level: 'error',
    title: 'The verifier’s pod was evicted',
    text: `${block?.reason ?? alert?.text ?? ''} Its node ran out of memory or disk; the next one may meet the same.`,
    evidence: { reason: block?.reason ?? alert?.code ?? null, open: block?.until === null ? 1 : 0 },
    link: { view: 'terminal' },
    step: block?.step ?? null,
    since,
  }
}

const wasSilent: RunRule = ({ state }) => {
  const past = state.blocks.filter((block) => block.until !== null && !isEvicted(block.reason))
  const last = past.at(-1)
  if (!last) return null
  const ms = past.reduce((all, { since, until }) => all + Date.parse(until ?? since) - Date.parse(since), 0)
  return {
    code: 'was_silent',
    level: 'warning',
    title: `Verifier was silent${past.length === 1 ? '' : ` ${past.length} times,`} ${lasting(ms)}`,
    text: `${last.step === null ? '' : `Step ${last.step}: `}the update waited, the rollouts were kept and graded when it was back.`,
    evidence: { times: past.length, ms },
    link: { view: 'rollouts', filter: last.step === null ? '' : `step=${last.step}` },
    step: last.step,
    since: last.since,
  }
}

/** Of a whole run, whatever their number: the suite or its filter is wrong, and no grade of it can be believed. */
const noTestRan: RunRule = ({ state, steps }) => {
  const bodies = state.byStatus.no_test_ran ?? 0
  if (bodies === 0) return null
  const step = steps.find((row) => (row.byStatus.no_test_ran ?? 0) > 0)?.step ?? null
  return {
    code: 'no_test_ran',
    level: 'error',
    title: `No test ran for ${count(bodies, 'body', 'bodies')}`,
    text: 'They built, but the expected tests were not there: the suite or its filter is wrong. No reward was given.',
    evidence: { bodies },
    link: { view: 'rollouts', filter: 'status:no_test_ran' },
    step,
    since: `step ${step}`,
  }
}

/** Unresolved grades of a step that goes on; while blocked they wait, and in a finished step they are part of its null share. */
const unresolved: RunRule = (facts) => {
  const row = facts.steps.at(-1)
  const grades = row?.byStatus.unresolved ?? 0
  if (!row || row.finishedAt !== null || grades === 0 || facts.state.phase !== 'running') return null
  return {
    code: 'unresolved',
    level: 'error',
    title: `${count(grades, 'grade')} unresolved`,
    text: 'The verifier cannot say what happened; they carry no reward. Look at the evidence.',
    evidence: { grades },
    link: { view: 'rollouts', filter: 'status:unresolved' },
    step: row.step,
    since: `step ${row.step}`,
  }
}

const falseAcceptances: RunRule = ({ falseAcceptances: { count: found, firstStep }, state }) => {
  if (found === 0) return null
  return {
    code: 'false_acceptances',
    level: 'error',
    title: `${found.toLocaleString('en')} accepted, audit rejects`,
    text: `of ${(state.byStatus.passed ?? 0).toLocaleString('en')} accepted in training, since step ${firstStep ?? '?'}. Open the audit.`,
    evidence: { found, accepted: state.byStatus.passed ?? 0 },
    link: { view: 'audit' },
    step: firstStep,
    since: `step ${firstStep}`,
  }
}

/** One rollout alone is without a grade, and all others of its step wait for it. */
const oneGradeHolds: RunRule = ({ state, steps, verifier, nowMs }) => {
  const row = steps.at(-1)
  if (!row || row.finishedAt !== null || row.waitsFor === null || row.lastGradeAt === null) return null
  const ageMs = nowMs - Date.parse(row.lastGradeAt)
  const usual = Math.max(...steps.slice(-limits.window).map((each) => each.gradeMsP95 ?? 0))
  if (state.phase !== 'running' || ageMs < Math.max(limits.holdMs, limits.holdTimes * usual)) return null
  const worker = verifier?.workers.toSorted((a, b) => (b.ageMs ?? 0) - (a.ageMs ?? 0))[0]
  return {
    code: 'one_grade_holds_all',
    level: 'error',
    title: `One grade holds ${row.generated - 1} others for ${lasting(ageMs)}`,
    text: `${row.waitsFor}${worker?.task ? `, task ${worker.task} in slot ${worker.slot}` : ''}. Usual grades take ${lasting(usual)}.`,
    evidence: { rollout: row.waitsFor, ageMs, usualMs: usual, limitMs: limits.holdMs },
    link: { view: 'rollouts', filter: `step=${row.step} status:pending` },
    step: row.step,
    since: row.waitsFor,
  }
}

/** Nothing was written for long, though nothing says that it waits for something. A grade that holds all others is told as that. */
const noProgress: RunRule = (facts) => {
  const { state, steps, nowMs } = facts
  if (state.phase !== 'running' || state.lastAt === null || oneGradeHolds(facts)) return null
  const idleMs = nowMs - Date.parse(state.lastAt)
  const took = known(steps.slice(-limits.window), (row) =>
    row.startedAt === null || row.finishedAt === null
      ? null
      : Date.parse(row.finishedAt) - Date.parse(row.startedAt),
  )
  const usual = median(took) ?? 0
  if (idleMs < Math.max(limits.stallMs, limits.stallTimes * usual)) return null
  return {
    code: 'no_progress',
    level: 'error',
    title: `Nothing heard for ${lasting(idleMs)}`,
    text: `The trainer wrote its last line then, and steps take ${usual === 0 ? 'an unknown time' : lasting(usual)}. It may hang, or its box be gone.`,
    evidence: { idleMs, usualMs: usual, limitMs: limits.stallMs },
    link: { view: 'terminal' },
    step: state.step,
    since: state.lastAt,
  }
}

const memoryHeadroom: RunRule = ({ memory }) => {
  const sample = memory.at(-1)
  const full = sample?.devices.find(
    ({ usedBytes, peakBytes, totalBytes }) =>
      totalBytes !== null && Math.max(usedBytes ?? 0, peakBytes ?? 0) >= limits.memory * totalBytes,
  )
  if (!sample || !full || full.totalBytes === null) return null
  const share = Math.max(full.usedBytes ?? 0, full.peakBytes ?? 0) / full.totalBytes
  return {
    code: 'memory_headroom',
    level: 'warning',
    title: `${full.name}: ${percent(share)} of its memory was used`,
    text: 'A longer prompt than any so far may end the run out of memory.',
    evidence: {
      device: full.name,
      usedBytes: full.usedBytes,
      peakBytes: full.peakBytes,
      totalBytes: full.totalBytes,
    },
    link: { view: 'terminal' },
    step: null,
    since: full.name,
  }
}

/** A device that idled for all of the last while, with the trainer running: it costs money and waits for someone. */
const idleGpu: RunRule = ({ state, memory }) => {
  const last = memory.at(-1)
  if (state.phase !== 'running' || !last) return null
  const recent: MemorySample[] = []
  for (let at = memory.length - 1; at >= 0; at -= 1) {
    const sample = memory[at]
    if (!sample) break
    recent.push(sample)
    if (Date.parse(last.at) - Date.parse(sample.at) >= limits.idleMs) break
  }
  const first = recent.at(-1)
  const ms = first ? Date.parse(last.at) - Date.parse(first.at) : 0
  const idle = last.devices.find(({ name }) =>
    recent.every(({ devices }) => {
      const use = devices.find((device) => device.name === name)?.utilisation ?? null
      return use !== null && use < limits.idle
    }),
  )
  if (ms < limits.idleMs || !idle) return null
  return {
    code: 'idle_gpu',
    level: 'warning',
    title: `${idle.name} idle for ${lasting(ms)}`,
    text: 'It is paid for and waits: look at generation, grading and dead workers.',
    evidence: { device: idle.name, ms, utilisation: idle.utilisation, limit: limits.idle },
    link: { view: 'terminal' },
    step: state.step,
    since: idle.name,
  }
}

const disk: RunRule = ({ state, verifier }) => {
  const told = state.alerts.findLast(({ code }) => /disk/.test(code))
  const { usedBytes = 0, limitBytes = null } = verifier?.disk ?? {}
  const share = limitBytes === null ? null : usedBytes / limitBytes
  if (!told && (share === null || share < limits.disk)) return null
  return {
    code: 'disk',
    level: 'error',
    title: told?.text ?? `The verifier’s disk is ${percent(share ?? 0)} full`,
    text: told
      ? 'Nothing is graded or kept until there is room.'
      : 'When it is full, grades become unresolved and the run blocks.',
    evidence: { usedBytes: verifier ? usedBytes : null, limitBytes, limit: limits.disk },
    link: { view: 'terminal' },
    step: null,
    since: told?.at ?? 'share',
  }
}

const clockSkew: RunRule = ({ state, nowMs }) => {
  const aheadMs = state.lastAt === null ? 0 : Date.parse(state.lastAt) - nowMs
  if (aheadMs < limits.skewMs) return null
  return {
    code: 'clock_skew',
    level: 'warning',
    title: `The box’s clock is ${lasting(aheadMs)} ahead`,
    text: 'Ages, heartbeats and times to go are wrong by as much. Set the clocks of both by NTP.',
    evidence: { aheadMs, limitMs: limits.skewMs },
    link: { view: 'terminal' },
    step: null,
    since: 'clock',
  }
}

const journalFault: RunRule = ({ state: { faults } }) => {
  const [first] = faults
  if (!first) return null
  const what =
    first.kind === 'corrupt'
      ? `a line ${first.reason}`
      : first.kind === 'gap'
        ? `event ${first.expected} is missing`
        : `event ${first.seq} came twice`
  return {
    code: 'journal_fault',
    level: 'error',
    title: `${count(faults.length, 'fault')} in the journal`,
    text: `First at byte ${first.offset.toLocaleString('en')}: ${what}. The rest was read.`,
    evidence: { faults: faults.length, offset: first.offset },
    link: { view: 'terminal' },
    step: null,
    since: String(faults.length),
  }
}

/** Alerts of the trainer that are one of the alarms here, in its own words. */
const trainersWords: Record<string, AlarmCode> = {
  gradient_not_finite: 'gradient',
  gradient_exploded: 'gradient',
  shaping_dominates: 'shaping_dominates',
  gpu_idle: 'idle_gpu',
}

const elsewhere = (alert: { code: string; text: string }): boolean =>
  /disk/.test(alert.code) || isEvicted(alert.code) || isEvicted(alert.text)

/** The latest alert of each kind: one that repeats at every step is one alarm. */
export function trainerAlerts({ state }: AlarmFacts): Alarm[] {
  const latest = new Map(state.alerts.map((alert) => [alert.code, alert]))
  return [...latest.values()].flatMap(({ code, level, text, at }): Alarm[] => {
    if (level === 'info' || elsewhere({ code, text })) return []
    return [
      {
        code: trainersWords[code] ?? 'trainer_alert',
        level,
        title: text,
        text: `${code}, told by the trainer at ${at.slice(11, 19)}.`,
        evidence: { code },
        link: { view: 'terminal' },
        step: null,
        since: `${code} ${at}`,
      },
    ]
  })
}

export const runRules: readonly RunRule[] = [
  verifierDrift,
  verifierSilent,
  eviction,
  wasSilent,
  noTestRan,
  unresolved,
  falseAcceptances,
  oneGradeHolds,
  noProgress,
  memoryHeadroom,
  idleGpu,
  disk,
  clockSkew,
  journalFault,
]
