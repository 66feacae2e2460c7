import { canonicalJson } from '../base/canonical.ts'
import { evalRolloutId, rolloutId } from '../base/ids.ts'
import { type Grade, silentGrade } from '../domain/grade.ts'
import { Random } from '../grpo/random.ts'
import type { EventBody, RunEvent } from './events.ts'
import {
  type SampleOptions,
  type SampleProgram,
  samplePrograms,
  sampleSpec,
  sampleTask,
} from './sample-program.ts'

const start = Date.parse('2026-11-29T12:00:00Z')

/** The journal of the run, event by event, as its trainer would have written it. */
export function* sampleEvents(options: SampleOptions): Generator<RunEvent> {
  let seq = 0
  for (const body of bodies(options)) {
    const at = new Date(start + seq * 250).toISOString()
    yield { v: 1, seq, at, run: options.run, ...body } as RunEvent
    seq += 1
  }
}

function* bodies(options: SampleOptions): Generator<EventBody> {
  const spec = sampleSpec(options)
  const random = Random.of(options.seed, 'sample')
  const programs = samplePrograms(options)
  yield {
    type: 'run.started',
    spec,
    specSha256: options.hash(canonicalJson(spec)),
    host: 'sample',
    versions: { trainer: '1' },
    seed: options.seed,
  }
  yield* evaluation(options, 'baseline', programs, random)
  yield { type: 'stage.started', stage: 'grpo' }
  for (let step = 0; step < options.steps; step += 1) yield* training(options, step, programs, random)
  yield { type: 'stage.finished', stage: 'grpo', outcome: 'completed' }
  yield* evaluation(options, 'final', programs, random)
  yield { type: 'run.finished', outcome: 'completed', reason: null }
}

function* evaluation(
  options: SampleOptions,
  policy: string,
  programs: SampleProgram[],
  random: Random,
): Generator<EventBody> {
  const planned = options.evalDraws
  yield { type: 'eval.started', policy, planned }
  let passed = 0
  for (let draw = 0; draw < planned; draw += 1) {
    const drawn = pick(programs, random)
    const rollout = evalRolloutId(options.run, policy, sampleTask, draw)
    if (drawn.grade.status === 'passed') passed += 1
    yield generated(rollout, null, null, draw, drawn)
    yield { type: 'eval.draw', policy, task: sampleTask, drawSeed: draw, rollout, grade: drawn.grade }
  }
  yield { type: 'eval.finished', policy, planned, drawn: planned, passed }
}

function* training(
  options: SampleOptions,
  step: number,
  programs: SampleProgram[],
  random: Random,
): Generator<EventBody> {
  const { groupsPerStep, groupSize, silentEvery } = options
  yield {
    type: 'step.started',
    step,
    prompts: Array.from({ length: groupsPerStep }, () => sampleTask),
    groupSize,
  }
  const drawn = Array.from({ length: groupsPerStep * groupSize }, (_, n) => {
    const group = Math.floor(n / groupSize)
    return {
      rollout: rolloutId(options.run, step, group, n % groupSize),
      group,
      n,
      program: pick(programs, random),
    }
  })
  for (const { rollout, group, n, program: it } of drawn)
    yield generated(rollout, step, group, n % groupSize, it)
  const silent = drawn.filter(({ n }) => silentEvery > 0 && (step * drawn.length + n) % silentEvery === 0)
  for (const { rollout } of silent) yield graded(rollout, silentGrade('unreachable', 'no_answer'))
  if (silent.length > 0) {
    const block = { since: new Date(start).toISOString(), reason: 'unreachable', attempts: 3 }
    yield { type: 'verifier.blocked', ...block }
    yield { type: 'verifier.unblocked', ...block }
  }
  for (const { rollout, program: it } of drawn) yield graded(rollout, it.grade)
  yield finished(options, step, drawn)
  yield { type: 'memory', devices: [] }
}

function finished(
  options: SampleOptions,
  step: number,
  drawn: { rollout: string; group: number; program: SampleProgram }[],
): EventBody {
  const rewards = drawn.map(({ program: { grade } }) => grade.reward ?? 0)
  const silentGroups = Array.from({ length: options.groupsPerStep }, (_, group) =>
    drawn.filter((one) => one.group === group).map((one) => one.program.grade.reward),
  ).filter((group) => group.every((reward) => reward === group[0])).length
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length
  return {
    type: 'step.finished',
    step,
    loss: 0,
    gradNorm: 1 / (step + 1),
    kl: 0,
    entropy: 1,
    lr: 1.5,
    parameterDelta: 0.1,
    rewardMean: mean,
    rewardStd: null,
    silentGroups,
    groups: options.groupsPerStep,
    advantages: Object.fromEntries(drawn.map(({ rollout }, n) => [rollout, (rewards[n] ?? 0) - mean])),
    stepMs: { generate: 1, grade: 2, update: 3 },
  }
}

const pick = (programs: SampleProgram[], random: Random): SampleProgram => {
  const found = programs[random.integer(0, programs.length - 1)]
  if (!found) throw new RangeError('a sample run needs at least one program')
  return found
}

const generated = (
  rollout: string,
  step: number | null,
  group: number | null,
  index: number,
  it: SampleProgram,
): EventBody => ({
  type: 'rollout.generated',
  rollout,
  step,
  group,
  index,
  task: sampleTask,
  completionSha256: it.completionSha256,
  tokens: 100 + (it.completion.length % 50),
  truncated: false,
})

const graded = (rollout: string, grade: Grade): EventBody => ({
  type: 'rollout.graded',
  rollout,
  grade,
  extraction: grade.reward === null ? null : { outcome: 'body', fences: 1, info: 'python' },
  components: { tests: grade.reward },
  total: grade.reward,
  advantage: null,
})
