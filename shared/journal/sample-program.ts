import { canonicalJson } from '../base/canonical.ts'
import type { RunId } from '../base/ids.ts'
import type { Grade, Status } from '../domain/grade.ts'
import type { RunSpec } from '../domain/run.ts'
import type { Evidence } from '../domain/verifier.ts'

/** A made-up run for tests and benches: plausible in every field, of any size, the same for the same options. */
export type SampleOptions = {
  run: RunId
  seed: number
  steps: number
  groupsPerStep: number
  groupSize: number
  evalDraws: number
  /** Tests of the one task, each an outcome of every grade. */
  tests: number
  /** Distinct programs that the made-up policy can write. */
  programs: number
  /** Every n-th rollout is first met by silence and graded after a block; 0 for none. */
  silentEvery: number
  /** sha256 of a text's UTF-8 bytes, in hex. */
  hash: (text: string) => string
}

export type SampleProgram = {
  completion: string
  completionSha256: string
  bodySha256: string
  /** Canonical JSON, named by `grade.evidenceSha256`. */
  evidence: string
  grade: Grade
  /** By an audit suite of as many tests; the last third of what passes is rejected by it. */
  auditGrade: Grade
}

export const sampleTask = 'required-capacity'
export function sampleSpec(options: SampleOptions): RunSpec {
  const suite = (name: string) => ({
    path: `/suites/${name}`,
    name,
    version: '1',
    sha256: options.hash(name),
  })
  return {
    v: 1,
    name: 'sample',
    run: options.run,
    box: { kind: 'local' },
    suite: suite('weak'),
    audit: suite('audit'),
    verifier: { workers: 2 },
    trainer: {
      kind: 'sketch',
      seed: options.seed,
      updates: options.steps,
      groupSize: options.groupSize,
      groupsPerStep: options.groupsPerStep,
      learningRate: 1.5,
      clip: 0.2,
      evalDraws: options.evalDraws,
      shaping: {},
      paceMs: 0,
    },
    overrides: [],
  }
}

export function samplePrograms(options: SampleOptions): SampleProgram[] {
  return Array.from({ length: options.programs }, (_, index) => program(options, index))
}

function program(options: SampleOptions, index: number): SampleProgram {
  const body = `def required_capacity(bookings):\n    # variant ${index}\n    return len(bookings) - ${index}\n`
  const bodySha256 = options.hash(body)
  const failing = index % 3 === 0 ? 0 : (index % options.tests) + 1
  const status: Status = failing === 0 ? 'passed' : index % 7 === 1 ? 'timed_out' : 'test_failed'
  const graded = gradeOf(options, 'weak', status, failing, bodySha256)
  const evidence: Evidence = {
    v: 1,
    task: sampleTask,
    body,
    completion: null,
    grade: graded,
    execution: {
      id: `e${index}`,
      startedAt: '2026-11-29T12:00:00Z',
      finishedAt: '2026-11-29T12:00:01Z',
    },
    output: [{ name: 'stdout', text: `variant ${index} says hello`, cutBytes: 0, limitBytes: 4096 }],
  }
  const text = canonicalJson(evidence)
  const completion = `Here it is:\n\n\`\`\`python\n${body}\`\`\`\n`
  const auditFailing = failing > 0 ? failing : index % 9 === 0 ? 2 : 0
  return {
    completion,
    completionSha256: options.hash(completion),
    bodySha256,
    evidence: text,
    grade: { ...graded, evidenceSha256: options.hash(text) },
    auditGrade: gradeOf(
      options,
      'audit',
      auditFailing === 0 ? 'passed' : 'test_failed',
      auditFailing,
      bodySha256,
    ),
  }
}

function gradeOf(
  options: SampleOptions,
  suite: string,
  status: Status,
  failing: number,
  bodySha256: string,
): Grade {
  const total = options.tests
  const passed = total - failing
  return {
    status,
    reward: status === 'timed_out' ? 0 : passed / total,
    reason: status === 'timed_out' ? 'wall_time' : null,
    tests: Array.from({ length: total }, (_, index) => ({
      name: `case-${index}`,
      outcome: index >= passed ? 'failed' : 'passed',
      ms: 1,
      expected: '2',
      observed: index >= passed ? '3' : '2',
    })),
    total,
    passed,
    buildMs: 2,
    testMs: 10 + failing,
    queueMs: 1,
    cache: 'fresh',
    bodySha256,
    suite: { name: suite, version: '1', sha256: options.hash(suite) },
    commit: null,
    verifier: '1',
    isolation: 'sandbox',
    evidenceSha256: null,
  }
}
