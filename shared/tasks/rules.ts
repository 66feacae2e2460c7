/**
 * Why something is no task. Each rule has its own reason, so that a drop can be argued with: a count of drops without reasons would hide a
 * filter that is wrong.
 */
export const dropReasons = {
  no_test_calls_it: 'no test calls it directly',
  ambiguous_function: 'its file has another function of the same path',
  short_body: 'its body has too few lines of logic',
  high_churn: 'its body changed too often in the history',
  crate_does_not_build: 'the tests of its crate do not build',
  duplicated_in_repository: 'its body stands elsewhere in the repository too',
  contaminated: 'its body stands in the corpus',
  prompt_too_long: 'its prompt is longer than the cap',
  reference_fails: 'its own body does not pass its tests',
  slow_build: 'building its tests takes too long',
  slow_tests: 'its tests take too long',
  empty_body_passes: 'an empty body passes',
  constant_body_passes: 'a body that returns a constant passes',
  control_fails: 'a control of the grader does not hold',
  solved: 'the initial checkpoint solves it every time',
} as const
export type DropReason = keyof typeof dropReasons

/** What a function must hold to be a task. Each is stated in the build's report. */
export type Thresholds = {
  /** Lines that say something; see `logicLines`. Below ten a body is a formula that the signature gives away. */
  logicLines: number
  /** Commits that changed the body, its first one included. More of them mean more versions in what models were trained on. */
  commits: number
  /** A warm build and the tests of one grade, measured with the reference body. A rollout costs both. */
  buildMs: number
  testMs: number
  promptTokens: number
  /** Lines of the file shown on either side of the function. */
  contextLines: number
}

export const defaultThresholds: Thresholds = {
  logicLines: 10,
  commits: 10,
  buildMs: 60_000,
  testMs: 10_000,
  promptTokens: 1_200,
  contextLines: 24,
}

export type Dropped<R extends string = string> = {
  task: string
  reason: R
  /** The figure or the place behind the reason, for a person. */
  detail: string
  /** Of the file that it was imported from. */
  line?: number
}
