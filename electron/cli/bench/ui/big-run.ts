import { join } from 'node:path'
import { programs } from '#services/core/programs.ts'
import { canonicalJson } from '#shared/base/canonical.ts'
import { rolloutId } from '#shared/base/ids.ts'
import { type Grade, silentGrade } from '#shared/domain/grade.ts'
import type { RunSpec } from '#shared/domain/run.ts'
import { Random } from '#shared/grpo/random.ts'
import { type SampleOptions, samplePrograms, sampleSpec } from '#shared/journal/sample-program.ts'

/** A run of any length as its journal's lines, made at the speed of joining texts: what repeats is put into JSON once. */
export type BigRun = {
  sample: SampleOptions
  /** Tasks that groups are drawn from. */
  tasks: number
  startMs: number
  /** Of the run's own time. */
  stepMs: number
}

/** Twice the steps are planned, as the run goes on growing. Its verifier is a real one, so that somebody is heard. */
export function bigSpec({ sample }: BigRun): RunSpec {
  const spec = sampleSpec({ ...sample, steps: 2 * sample.steps })
  const suite = { ...spec.suite, path: join(programs.demo, 'booking', 'weak') }
  return { ...spec, suite, audit: null, name: `${sample.steps} steps` }
}

type Program = { completionSha256: string; tail: string; grade: Grade }

/** Of a thousand steps, one in which the verifier was silent for a while: its rollouts stay without a reward. */
const silentEvery = 1000
/** Out of reach of any other reward's neighbours, and of any average: what thinning must keep. */
const spikeEvery = 997

/** Programs in order of their reward, so that a policy that learns is one that draws from further up. */
function programsOf({ sample }: BigRun): Program[] {
  return samplePrograms(sample)
    .map((one, index): Program => {
      const grade = { ...one.grade, ...oddGrade(index) }
      return { completionSha256: one.completionSha256, tail: gradedTail(grade), grade }
    })
    .sort((a, b) => (a.grade.reward ?? 0) - (b.grade.reward ?? 0))
}

/** A few of the programs fail in another way than by their tests, so that every status is in the picture. */
function oddGrade(index: number): Partial<Grade> {
  const none = { reward: 0, passed: 0 } as const
  if (index % 53 === 1) return { ...none, status: 'tampered', reason: 'early_exit' }
  if (index % 17 === 1) return { ...none, status: 'build_failed', reason: 'syntax' }
  return {}
}

function gradedTail(grade: Grade): string {
  const length = grade.reward === null ? null : 0.1
  return JSON.stringify({
    grade,
    extraction: grade.reward === null ? null : { outcome: 'body', fences: 1, info: 'python' },
    components: grade.reward === null ? { tests: null, length: null } : { tests: grade.reward, length },
    total: grade.reward === null ? null : grade.reward + 0.1,
    advantage: null,
  }).slice(1)
}

const silentTail = gradedTail(silentGrade('unreachable', 'refused'))

/** The lines of a run's journal from a step on, each with its newline; `seq` and the clock go on from where they are told to. */
export class BigJournal {
  private readonly run: BigRun
  private readonly programs: Program[]
  private readonly random: Random
  private seq: number

  constructor(run: BigRun, seq = 0, programs = programsOf(run)) {
    this.run = run
    this.programs = programs
    this.random = Random.of(run.sample.seed, 'big', seq)
    this.seq = seq
  }

  /** Lines so far, and so the next line's `seq`. */
  get lines(): number {
    return this.seq
  }

  start(): string {
    const { sample } = this.run
    const spec = bigSpec(this.run)
    const at = this.run.startMs
    return (
      this.line(at, 'run.started', {
        spec,
        specSha256: sample.hash(canonicalJson(spec)),
        host: 'bench',
        versions: { trainer: '1' },
        seed: sample.seed,
      }) + this.line(at, 'stage.started', { stage: 'grpo' })
    )
  }

  end(step: number): string {
    const at = this.run.startMs + step * this.run.stepMs
    return (
      this.line(at, 'stage.finished', { stage: 'grpo', outcome: 'completed' }) +
      this.line(at, 'run.finished', { outcome: 'completed', reason: null })
    )
  }

  /** All of one step: begun, drawn, graded, finished, and a sample of memory. @param from and `to`: its begin and end, ms. */
  *step(
    step: number,
    from = this.run.startMs + step * this.run.stepMs,
    to = from + this.run.stepMs,
  ): Generator<string> {
    const { groupsPerStep, groupSize, run } = this.run.sample
    const tasks = Array.from({ length: groupsPerStep }, (_, group) => this.task(step * groupsPerStep + group))
    const count = groupsPerStep * groupSize
    const at = (share: number) => from + Math.round((to - from) * share)
    yield this.line(at(0), 'step.started', { step, prompts: tasks, groupSize })
    const drawn = Array.from({ length: count }, () => this.draw(step))
    for (const [n, program] of drawn.entries()) {
      const [group, index] = [Math.floor(n / groupSize), n % groupSize]
      const id = rolloutId(run, step, group, index)
      yield `${this.head(at(0.3), 'rollout.generated')},"rollout":"${id}","step":${step},"group":${group},"index":${index},"task":"${tasks[group]}","completionSha256":"${program.completionSha256}","tokens":${80 + ((n * 37) % 90)},"truncated":${n % 61 === 7}}\n`
    }
    const isSilent = step % silentEvery === silentEvery - 1
    for (const [n, program] of drawn.entries()) {
      const id = rolloutId(run, step, Math.floor(n / groupSize), n % groupSize)
      const tail = isSilent && n % 4 === 0 ? silentTail : program.tail
      yield `${this.head(at(0.3 + (0.6 * n) / count), 'rollout.graded')},"rollout":"${id}",${tail}\n`
    }
    yield this.finished(at(1), step, drawn, to - from)
    yield this.memory(at(1), step)
  }

  private finished(at: number, step: number, drawn: Program[], ms: number): string {
    const { groupSize, groupsPerStep, steps, run } = this.run.sample
    const rewards = drawn.map(({ grade }) => grade.reward ?? 0)
    const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length
    const spike = step % spikeEvery === 500
    const silentGroups = Array.from({ length: groupsPerStep }, (_, group) =>
      rewards.slice(group * groupSize, (group + 1) * groupSize),
    ).filter((group) => group.every((reward) => reward === group[0])).length
    return this.line(at, 'step.finished', {
      step,
      loss: this.noise(0.02),
      gradNorm: spike ? 9 : 0.6 + this.noise(0.2),
      kl: 0.01 + this.noise(0.004),
      entropy: 1.4 - 0.6 * Math.min(1, step / steps) + this.noise(0.05),
      lr: 1.5,
      parameterDelta: 0.02 + this.noise(0.004),
      rewardMean: mean,
      rewardStd: null,
      silentGroups,
      groups: groupsPerStep,
      advantages: Object.fromEntries(
        rewards.map((reward, n) => [
          rolloutId(run, step, Math.floor(n / groupSize), n % groupSize),
          Number((reward - mean).toFixed(4)),
        ]),
      ),
      stepMs: { generate: ms * 0.3, grade: ms * 0.6, update: ms * 0.1 },
    })
  }

  private memory(at: number, step: number): string {
    const totalBytes = 80 * 1024 ** 3
    const device = (name: string, share: number) => ({
      name,
      usedBytes: Math.round(totalBytes * share),
      totalBytes,
      reservedBytes: Math.round(totalBytes * (share + 0.02)),
      peakBytes: Math.round(totalBytes * (share + 0.04)),
      utilisation: 0.9,
      temperatureC: 61,
      powerW: 412,
    })
    return this.line(at, 'memory', {
      devices: [device('GPU 0', 0.62 + 0.1 * ((step % 7) / 7)), device('GPU 1', 0.6)],
    })
  }

  /** Better programs the further the run is, with a wide spread around them. */
  private draw(step: number): Program {
    const skill = 0.15 + 0.6 * Math.min(1, step / this.run.sample.steps)
    const place = Math.min(0.999, Math.max(0, skill + (this.random.float() - 0.5) * 0.8))
    const found = this.programs[Math.floor(place * this.programs.length)]
    if (!found) throw new RangeError('a run needs at least one program')
    return found
  }

  private task(n: number): string {
    return `task-${String((n * 7) % this.run.tasks).padStart(2, '0')}`
  }

  private noise(size: number): number {
    return Number(((this.random.float() - 0.5) * size).toFixed(5))
  }

  private head(at: number, type: string): string {
    const seq = this.seq
    this.seq += 1
    return `{"v":1,"seq":${seq},"at":"${new Date(at).toISOString()}","run":"${this.run.sample.run}","type":"${type}"`
  }

  private line(at: number, type: string, fields: object): string {
    return `${this.head(at, type)},${JSON.stringify(fields).slice(1)}\n`
  }
}
