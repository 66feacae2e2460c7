import { type Grade, silentGrade } from '#shared/domain/grade.ts'
import type { LogStream } from '#shared/domain/log-stream.ts'
import type { RunSpec } from '#shared/domain/run.ts'
import type { EventBody, RunEvent } from '#shared/journal/events.ts'
import { formatPodLogLine } from '#shared/kube/pod-log.ts'
import { type FakeBody, fakeBodies, fakeDigest, seeded, trainCases } from './fake-bodies.ts'

export type FakeRollout = { rollout: string; body: FakeBody; tokens: number; ms: number; seed: number }
export type FakeJournal = { events: RunEvent[]; rollouts: Map<string, FakeRollout>; logs: FakeLog[] }
export type FakeLog = { stream: LogStream; atMs: number; text: string }

export const fakeStart = Date.parse('2026-11-29T09:12:00.000Z')
const task = 'required-capacity'
const blockedStep = 9
const blockedMs = 41_000

/** Weights over `fakeBodies` after `step` of `updates`: cheap mistakes go first, then what the weak suite cannot see grows. */
function weights(step: number, updates: number): number[] {
  const p = step / updates
  const s = 1 / (1 + Math.exp(-9 * (p - 0.42)))
  return [
    0.05 + 0.27 * s,
    0.05 + 0.5 * s,
    0.03 + 0.07 * s,
    0.09 * (1 - s),
    0.17 * (1 - s) + 0.02,
    0.18 * (1 - s) + 0.06,
    0.13 * (1 - s) + 0.02,
    0.08 * (1 - s),
    0.1 * (1 - p) ** 3,
    0.05 * (1 - p) ** 3,
    0.05 * (1 - p) ** 4,
    0.025 * (1 - p) ** 2,
  ]
}

function pick(random: () => number, list: number[]): FakeBody {
  const total = list.reduce((sum, weight) => sum + weight, 0)
  let left = random() * total
  const index = list.findIndex((weight) => {
    left -= weight
    return left < 0
  })
  return fakeBodies[index] ?? (fakeBodies[0] as FakeBody)
}

/** Everything a believable run of the weak suite writes, with times that follow from the seed alone. */
export function fakeJournal(spec: RunSpec): FakeJournal {
  return new Writer(spec).write()
}

class Writer {
  private readonly spec: RunSpec
  private readonly random: () => number
  private readonly events: RunEvent[] = []
  private readonly rollouts = new Map<string, FakeRollout>()
  private readonly logs: FakeLog[] = []
  private atMs = 0

  constructor(spec: RunSpec) {
    this.spec = spec
    this.random = seeded(spec.trainer.seed)
  }

  write(): FakeJournal {
    const { updates, seed } = this.spec.trainer
    this.log('supervisor', 'verifier started, process group 4711')
    this.log('supervisor', 'trainer started, process group 4719')
    this.emit({
      type: 'run.started',
      spec: this.spec,
      specSha256: fakeDigest(JSON.stringify(this.spec)),
      host: 'study-laptop',
      versions: { trainer: '0.1.0', verifier: '0.1.0', node: '24.22.3', python: '3.12.4' },
      seed,
    })
    this.evaluation('baseline', 0)
    this.emit({ type: 'stage.started', stage: 'grpo' })
    for (let step = 1; step <= updates; step++) this.step(step)
    this.emit({ type: 'stage.finished', stage: 'grpo', outcome: 'completed' })
    this.evaluation('final', updates)
    this.emit({ type: 'run.finished', outcome: 'completed', reason: null })
    this.log('supervisor', 'trainer ended with code 0')
    return { events: this.events, rollouts: this.rollouts, logs: this.logs }
  }

  private evaluation(policy: string, step: number): void {
    const planned = this.spec.trainer.evalDraws
    const stage = policy === 'final' ? 'final_eval' : 'baseline'
    this.emit({ type: 'stage.started', stage })
    this.emit({ type: 'eval.started', policy, planned })
    let passed = 0
    for (let draw = 0; draw < planned; draw++) {
      const rollout = `${this.spec.run}/eval/${policy}/${task}/${draw}`
      const drawn = this.generate(rollout, null, null, draw, step)
      this.atMs += 60
      if (drawn.body.status === 'passed') passed += 1
      this.emit({ type: 'eval.draw', policy, task, drawSeed: draw, rollout, grade: gradeOf(drawn) })
      if (draw % 8 === 0) this.memory(0.5)
    }
    this.emit({ type: 'eval.finished', policy, planned, drawn: planned, passed })
    this.emit({ type: 'stage.finished', stage, outcome: 'completed' })
    this.log('trainer', `evaluation ${policy}: ${passed} of ${planned} pass the training suite`)
  }

  private step(step: number): void {
    const { groupsPerStep, groupSize } = this.spec.trainer
    const startMs = this.atMs
    this.emit({ type: 'step.started', step, prompts: Array(groupsPerStep).fill(task), groupSize })
    const drawn: FakeRollout[] = []
    for (let group = 0; group < groupsPerStep; group++) {
      for (let index = 0; index < groupSize; index++) {
        this.atMs += 18
        drawn.push(this.generate(`${this.spec.run}/${step}/${group}/${index}`, step, group, index, step - 1))
      }
    }
    const generatedMs = this.atMs
    this.memory(0.75)
    for (const rollout of drawn.slice(0, step === blockedStep ? 20 : undefined)) this.grade(rollout)
    if (step === blockedStep) this.block(drawn.slice(20))
    const gradedMs = this.atMs
    this.memory(0.92)
    this.atMs += 140 + this.random() * 90
    this.finish(step, drawn, {
      generate: generatedMs - startMs,
      grade: gradedMs - generatedMs,
      update: this.atMs - gradedMs,
    })
    this.memory(0.55)
    this.atMs += this.spec.trainer.paceMs
  }

  /** The verifier dies: twelve rollouts get no grade, the update waits, and the same twelve are graded when it is back. */
  private block(waiting: FakeRollout[]): void {
    const since = this.time()
    const reason = 'The verifier does not answer.'
    for (const { rollout } of waiting) {
      this.atMs += 4
      const grade = silentGrade('unreachable', 'connection_refused')
      this.emit({
        type: 'rollout.graded',
        rollout,
        grade,
        extraction: null,
        components: { tests: null, format: null, length: null },
        total: null,
        advantage: null,
      })
    }
    for (let attempts = 1; attempts <= 8; attempts++) {
      this.emit({ type: 'verifier.blocked', since, reason, attempts })
      this.log('trainer', `step ${blockedStep}: verifier unreachable, attempt ${attempts}; the group is kept`)
      this.atMs += blockedMs / 8
    }
    this.log('supervisor', 'verifier ended by signal 9; started anew, process group 5120')
    this.emit({ type: 'verifier.unblocked', since, reason, attempts: 8 })
    for (const rollout of waiting) this.grade(rollout)
  }

  private finish(
    step: number,
    drawn: FakeRollout[],
    stepMs: { generate: number; grade: number; update: number },
  ): void {
    const { groupSize, groupsPerStep } = this.spec.trainer
    const totals = drawn.map((rollout) => partsOf(rollout).total)
    const mean = average(totals)
    const std = Math.sqrt(average(totals.map((total) => (total - mean) ** 2)))
    const advantages: Record<string, number> = {}
    let silentGroups = 0
    for (let group = 0; group < groupsPerStep; group++) {
      const members = totals.slice(group * groupSize, (group + 1) * groupSize)
      const m = average(members)
      const s = Math.sqrt(members.reduce((sum, total) => sum + (total - m) ** 2, 0) / (groupSize - 1))
      if (s === 0) silentGroups += 1
      members.forEach((total, index) => {
        const id = drawn[group * groupSize + index]?.rollout
        if (id) advantages[id] = (total - m) / (s + 1e-4)
      })
    }
    const learning = 1 - silentGroups / groupsPerStep
    this.emit({
      type: 'step.finished',
      step,
      loss: -0.002 + (this.random() - 0.5) * 0.02,
      gradNorm: learning * (0.35 + 0.4 * Math.exp(-step / 6) + 0.12 * this.random()),
      kl: 0.002 * step + this.random() * 0.004,
      entropy: 1.9 * Math.exp(-step / 16) + 0.08 * this.random(),
      lr: this.spec.trainer.learningRate,
      parameterDelta: learning * (0.5 + 0.2 * this.random()),
      rewardMean: mean,
      rewardStd: std,
      silentGroups,
      groups: groupsPerStep,
      advantages,
      stepMs,
    })
    this.log(
      'trainer',
      `step ${step} of ${this.spec.trainer.updates}: reward ${mean.toFixed(3)}, silent groups ${silentGroups} of ${groupsPerStep}`,
    )
    if (step % 4 === 0)
      this.emit({
        type: 'checkpoint',
        path: `checkpoints/step-${step}.json`,
        step,
        sha256: fakeDigest(`step ${step}`),
        holds: ['parameters', 'optimizer', 'generator'],
      })
  }

  private generate(
    rollout: string,
    step: number | null,
    group: number | null,
    index: number,
    learned: number,
  ): FakeRollout {
    const body = pick(this.random, weights(learned, this.spec.trainer.updates))
    const drawn: FakeRollout = {
      rollout,
      body,
      tokens: Math.round(60 + body.completion.length / 3 + this.random() * 6),
      ms: body.status === 'timed_out' ? 2000 : Math.round(30 + this.random() * 60),
      seed: Math.floor(this.random() * 1e9),
    }
    this.rollouts.set(rollout, drawn)
    this.emit({
      type: 'rollout.generated',
      rollout,
      step,
      group,
      index,
      task,
      completionSha256: fakeDigest(body.completion),
      tokens: drawn.tokens,
      truncated: body.status === 'no_answer' && this.random() < 0.3,
    })
    return drawn
  }

  private grade(drawn: FakeRollout): void {
    this.atMs += drawn.ms / 2
    const { total, components } = partsOf(drawn)
    const fences = drawn.body.source === null ? 0 : 1
    this.emit({
      type: 'rollout.graded',
      rollout: drawn.rollout,
      grade: gradeOf(drawn),
      extraction: {
        outcome: fences === 1 ? 'body' : 'fence_count',
        fences,
        info: fences === 1 ? 'python' : null,
      },
      components,
      total,
      advantage: null,
    })
    const short = drawn.rollout.split('/').slice(1).join('/')
    const count = drawn.body.status === 'test_failed' ? ` ${drawn.body.passed}/${trainCases}` : ''
    this.podLog(`grade ${short} ${drawn.body.status}${count}`)
    this.log('verifier', `grade ${short} ${drawn.body.status}${count} ${drawn.ms} ms`)
  }

  private memory(level: number): void {
    const mib = 1024 ** 2
    this.emit({
      type: 'memory',
      devices: [
        {
          name: 'trainer process',
          usedBytes: Math.round((58 + 34 * level + 3 * this.random()) * mib),
          totalBytes: 16 * 1024 * mib,
          reservedBytes: null,
          peakBytes: Math.round(97 * mib),
          utilisation: null,
          temperatureC: null,
          powerW: null,
        },
      ],
    })
  }

  private time = () => new Date(fakeStart + Math.round(this.atMs)).toISOString()

  private emit(body: EventBody): void {
    const common = { v: 1 as const, seq: this.events.length, at: this.time(), run: this.spec.run }
    this.events.push({ ...common, ...body } as RunEvent)
  }

  /** A line as the file of the pods' logs holds it. */
  private podLog(text: string): void {
    const pod = this.logs.length % 4 < 2 ? 'verifier-7k2m4q-6d9f7-x7k2p' : 'verifier-7k2m4q-6d9f7-b2c4d'
    const line = formatPodLogLine({
      at: this.time(),
      pod,
      container: 'verifier',
      restart: 0,
      own: true,
      text,
    })
    this.logs.push({ stream: 'pods', atMs: this.atMs, text: `${line}\n` })
  }

  private log(stream: FakeLog['stream'], text: string): void {
    this.logs.push({ stream, atMs: this.atMs, text: `${this.time().slice(11, 23)} ${text}\n` })
  }
}

const average = (list: number[]) => list.reduce((sum, value) => sum + value, 0) / list.length

/** Reward parts as the trainer weighs them: the tests count 1, the two shaping parts little. */
export function partsOf({ body, tokens }: FakeRollout) {
  const tests = body.status === 'test_failed' || body.status === 'passed' ? body.passed / trainCases : 0
  const format = body.source === null ? 0 : 0.05
  // Coarse on purpose: a part that differs between equal bodies would leave no group silent.
  const length = tokens < 160 ? 0.03 : tokens < 260 ? 0.02 : 0
  return { components: { tests, format, length }, total: tests + format + length }
}

export function gradeOf({ body, ms }: FakeRollout, suite: 'train' | 'audit' = 'train'): Grade {
  const audit = suite === 'audit'
  const total = audit ? 192 : trainCases
  const passed = audit ? body.audit : body.passed
  const ran = body.status === 'passed' || body.status === 'test_failed'
  const status = ran ? (passed === total ? 'passed' : 'test_failed') : body.status
  return {
    status,
    reward: ran ? passed / total : 0,
    reason: body.reason,
    tests: ran ? testsOf(passed, total, body) : [],
    total: ran ? total : null,
    passed: ran ? passed : null,
    buildMs: 2,
    testMs: ms,
    queueMs: 1,
    cache: 'warm',
    bodySha256: body.source === null ? null : fakeDigest(body.source),
    suite: { name: audit ? 'booking-audit' : 'booking-weak', version: '1', sha256: fakeDigest(suite) },
    commit: null,
    verifier: '0.1.0',
    isolation: 'sandbox',
    evidenceSha256: fakeDigest(`${suite} ${body.name}`),
  }
}

function testsOf(passed: number, total: number, body: FakeBody): Grade['tests'] {
  return Array.from({ length: total }, (_, index) => {
    const held = index >= total - passed
    return {
      name: `${body.mechanism === 'ties' && !held ? 'tie' : held ? 'ordinary' : 'boundary'}-${String(index).padStart(3, '0')}`,
      outcome: held ? ('passed' as const) : ('failed' as const),
      ms: 0.4,
      expected: '1',
      observed: held ? '1' : '2',
    }
  })
}
