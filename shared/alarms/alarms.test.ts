import { expect, test } from 'vitest'
import { silentGrade } from '../domain/grade.ts'
import { VerifierHealth } from '../domain/verifier.ts'
import type { RunEvent } from '../journal/events.ts'
import type { AlarmCode, AlarmFacts } from './alarm.ts'
import { AlarmScan } from './scan.ts'
import { type Edit, edited, factsOf, like, sample } from './testing.ts'

const codesOf = (facts: AlarmFacts): AlarmCode[] => new AlarmScan().alarms(facts).map(({ code }) => code)
const after = (event: RunEvent, ms: number) => new Date(Date.parse(event.at) + ms).toISOString()
const keep: Edit = (event) => event

/** Changes the figures that a step ends with. */
const finish =
  (change: (event: Extract<RunEvent, { type: 'step.finished' }>) => object): Edit =>
  (event) =>
    event.type === 'step.finished' ? { ...event, ...change(event) } : event
const graded =
  (change: (event: Extract<RunEvent, { type: 'rollout.graded' }>, n: number) => object): Edit =>
  (event) =>
    event.type === 'rollout.graded' ? { ...event, ...change(event, numberOf(event.rollout)) } : event
const numberOf = (rollout: string) => {
  const [, step, group, index] = rollout.split('/').map(Number)
  return (step ?? 0) * 16 + (group ?? 0) * 4 + (index ?? 0)
}
/** A verifier in front of replicas, some of which are not what the run is pinned to. */
const drifted = (replicas: { id: string; drifted: boolean }[]): VerifierHealth =>
  VerifierHealth.parse({
    ready: true,
    version: '0.1.0',
    grader: 'python-function',
    isolation: 'sandbox',
    isolationDetail: '',
    suite: { name: 's', version: '1', sha256: sample.hash('s') },
    commit: null,
    instance: 'i',
    startedAt: '2026-11-29T12:00:00.000Z',
    workers: [],
    queue: 0,
    graded: 0,
    executed: 0,
    disk: { usedBytes: 0, limitBytes: null },
    replicas: replicas.map((replica) => ({
      ...replica,
      uid: replica.id,
      usable: !replica.drifted,
      problem: replica.drifted ? 'it says another commit' : null,
      inHand: 0,
      graded: 0,
      commit: null,
      instance: null,
      warm: null,
      workers: null,
    })),
  })
/** The journal up to the first event that `holds`, that one included. */
function* until(holds: (event: RunEvent) => boolean, edit: Edit = keep): Generator<RunEvent> {
  for (const event of edited(edit)) {
    yield event
    if (holds(event)) return
  }
}
const finishedAt = (step: number) => (event: RunEvent) =>
  event.type === 'step.finished' && event.step === step
const lastOf = (events: RunEvent[]) => Date.parse(events.at(-1)?.at ?? '')
const silent = (status: 'unreachable' | 'unresolved' | 'no_test_ran') => ({
  grade: silentGrade(status, 'made_up'),
  components: { tests: null },
  total: null,
})
const device = (name: string, values: object) => ({
  name,
  usedBytes: 10,
  totalBytes: 100,
  reservedBytes: null,
  peakBytes: 20,
  utilisation: 0.9,
  temperatureC: null,
  powerW: null,
  ...values,
})
const memory =
  (values: object): Edit =>
  (event) =>
    event.type === 'memory' ? { ...event, devices: [device('GPU 0', values)] } : event
const block = (event: RunEvent, reason: string) =>
  like(event, { type: 'verifier.blocked', since: event.at, reason, attempts: 3 })
const alert =
  (code: string, text: string): Edit =>
  (event) =>
    event.type === 'step.finished' && event.step === 9
      ? [event, like(event, { type: 'alert', code, level: 'error', text, evidence: null })]
      : event

const causes: Record<AlarmCode, () => AlarmFacts> = {
  verifier_silent: () => {
    const events = [...until(finishedAt(9))]
    const last = events.at(-1) as RunEvent
    return factsOf([...events, { ...block(last, 'It does not answer.'), seq: last.seq + 1 }])
  },
  was_silent: () =>
    factsOf(
      edited((event) => {
        if (event.type !== 'step.finished' || event.step !== 9) return event
        const started = block(event, 'It does not answer.')
        return [started, { ...started, type: 'verifier.unblocked' } as RunEvent, event]
      }),
    ),
  eviction: () => {
    const events = [...until(finishedAt(9))]
    const last = events.at(-1) as RunEvent
    return factsOf([...events, { ...block(last, 'The pod was evicted.'), seq: last.seq + 1 }])
  },
  no_progress: () => {
    const events = [...until(finishedAt(9))]
    return factsOf(events, { nowMs: lastOf(events) + 3_600_000 })
  },
  verifier_drift: () =>
    factsOf(edited(keep), {
      verifier: drifted([
        { id: 'pod-1', drifted: true },
        { id: 'pod-2', drifted: false },
      ]),
    }),
  gradient: () => factsOf(edited(finish((event) => (event.step === 39 ? { gradNorm: 4000 } : {})))),
  no_test_ran: () => factsOf(edited(graded((_, n) => (n === 5 ? silent('no_test_ran') : {})))),
  false_acceptances: () => factsOf(edited(keep), { falseAcceptances: { count: 3, firstStep: 2 } }),
  held_out_flat: () =>
    factsOf(
      edited(
        graded((event, n) => {
          const total = n < 30 * 16 ? (event.total ?? 0) * 0.5 : (event.total ?? 0)
          return { total, components: { tests: total } }
        }),
      ),
      { heldOut: () => ({ passed: 4, judged: 16 }) },
    ),
  disk: () => factsOf(edited(alert('disk_full', 'The disk is full.'))),
  memory_headroom: () => factsOf(edited(memory({ peakBytes: 97 }))),
  one_grade_holds_all: () => {
    const events = [...until(finishedAt(30))].filter(
      (event) =>
        !finishedAt(30)(event) && !(event.type === 'rollout.graded' && numberOf(event.rollout) === 495),
    )
    const numbered = events.map((event, seq) => ({ ...event, seq }))
    return factsOf(numbered, { nowMs: lastOf(events) + 20 * 60_000 })
  },
  null_share: () => factsOf(edited(graded((_, n) => (n === 639 ? silent('unreachable') : {})))),
  unresolved: () =>
    factsOf(
      until(
        (event) => event.type === 'rollout.graded' && numberOf(event.rollout) === 495,
        graded((_, n) => (n === 490 ? silent('unresolved') : {})),
      ),
    ),
  journal_fault: () => factsOf([...edited(keep)].filter((event) => event.seq !== 40)),
  tamper_spike: () =>
    factsOf(
      edited(
        graded((event, n) =>
          n >= 624 && n % 5 === 0
            ? { grade: { ...event.grade, status: 'tampered', reward: 0, reason: 'early_exit' } }
            : {},
        ),
      ),
    ),
  shaping_dominates: () =>
    factsOf(
      edited(
        graded((event, n) => {
          const [tests, format] = [0.2 * (event.total ?? 0), (n * 7) % 5]
          return { components: { tests, format }, total: tests + format }
        }),
      ),
    ),
  silent_groups: () => factsOf(edited(finish(() => ({ silentGroups: 3 })))),
  entropy: () => factsOf(edited(finish((event) => ({ entropy: event.step > 30 ? 0.01 : 1 })))),
  kl_jump: () => factsOf(edited(finish((event) => ({ kl: event.step === 35 ? 2 : 0.01 })))),
  truncation: () =>
    factsOf(
      edited((event) =>
        event.type === 'rollout.generated' ? { ...event, truncated: event.index === 0 } : event,
      ),
    ),
  duplicate_bodies: () =>
    factsOf(
      edited(
        graded((event) => ({ grade: { ...event.grade, bodySha256: sample.hash('the one answer') } })),
        { ...sample, programs: 60 },
      ),
    ),
  idle_gpu: () => {
    const slow: Edit = (event) => ({
      ...event,
      at: after(event, event.seq * 2000),
    })
    return factsOf(until(finishedAt(39), (event) => slow(memory({ utilisation: 0.01 })(event) as RunEvent)))
  },
  clock_skew: () => {
    const events = [...until(finishedAt(9))]
    return factsOf(events, { nowMs: lastOf(events) - 90_000 })
  },
  trainer_alert: () => factsOf(edited(alert('other_suite', 'The verifier grades another suite.'))),
}

test.each(Object.keys(causes) as AlarmCode[])('a journal with the cause of %s fires exactly that', (code) => {
  expect(codesOf(causes[code]())).toEqual([code])
})

test('the first step’s gradient is looked at too, and a norm that turns null is not finite', () => {
  const first = factsOf(
    until(
      finishedAt(0),
      finish(() => ({ gradNorm: 5000 })),
    ),
  )
  expect(codesOf(first)).toEqual(['gradient'])
  const lost = factsOf(edited(finish(({ step }) => (step === 38 ? { gradNorm: null } : {}))))
  expect(new AlarmScan().alarms(lost).map(({ code, title, step }) => [code, title, step])).toEqual([
    ['gradient', 'No finite gradient at step 38', 38],
  ])
  expect(codesOf(factsOf(edited(finish(() => ({ gradNorm: null })))))).toEqual([])
})

test('an alarm says what, how much, against what, since when and where to look', () => {
  expect(new AlarmScan().alarms(causes.one_grade_holds_all())).toEqual([
    {
      code: 'one_grade_holds_all',
      level: 'error',
      title: 'One grade holds 15 others for 20 min',
      text: 'r-20261129-abcdef/30/3/3. Usual grades take 0 s.',
      evidence: { rollout: 'r-20261129-abcdef/30/3/3', ageMs: 1_200_000, usualMs: 18, limitMs: 60_000 },
      link: { view: 'rollouts', filter: 'step=30 status:pending' },
      step: 30,
      since: 'r-20261129-abcdef/30/3/3',
    },
  ])
})

test('a scan that goes on step by step finds what one over the whole finds, and marks each stretch once', () => {
  const whole = factsOf(
    edited(finish(({ step }) => ({ kl: step === 12 || step === 13 || step === 38 ? 2 : 0.01 }))),
  )
  const scan = new AlarmScan()
  for (let upTo = 1; upTo <= whole.steps.length; upTo += 1)
    scan.alarms({ ...whole, steps: whole.steps.slice(0, upTo) })
  const stretches = scan.episodes(whole).map(({ code, from, to }) => [code, from, to])
  expect(stretches).toEqual([
    ['kl_jump', 12, 13],
    ['kl_jump', 38, 38],
  ])
  expect(new AlarmScan().episodes(whole)).toEqual(scan.episodes(whole))
})

test('a healthy run of 10,000 steps fires none, at its end or on the way', () => {
  const long = { ...sample, steps: 10_000, groupsPerStep: 2, tests: 3 }
  const facts = factsOf(edited(keep, long), { heldOut: () => ({ passed: 2, judged: 8 }) })
  const scan = new AlarmScan()
  expect(facts.steps.length).toBe(10_000)
  expect(scan.alarms(facts)).toEqual([])
  expect(scan.episodes(facts)).toEqual([])
}, 120_000)

test('a reward whose spread nobody knows is not taken for certain', () => {
  const known = causes.held_out_flat()
  const unknown = { ...known, steps: known.steps.map((row) => ({ ...row, rewardStd: null })) }
  expect([codesOf(known), codesOf(unknown)]).toEqual([['held_out_flat'], []])
})
