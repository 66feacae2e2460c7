import { z } from 'zod'

/** Which test binary a test is in. `name` is cargo's target name; a library has one only, so it is not looked at there. */
export const TestTarget = z.object({ kind: z.enum(['lib', 'bin', 'test']), name: z.string() })
export type TestTarget = z.infer<typeof TestTarget>

/** A test by its full path within its target, as `--exact` wants it. */
export const CargoTest = z.object({ name: z.string().min(1), target: TestTarget })
export type CargoTest = z.infer<typeof CargoTest>

export const targetKey = (target: TestTarget): string =>
  target.kind === 'lib' ? 'lib' : `${target.kind}:${target.name}`

const Span = z.object({ start: z.number().int(), end: z.number().int() })
export type Span = z.infer<typeof Span>

/** One function of a workspace at a commit. Offsets are UTF-16 units into its file's text; `bodyStart` is at `{`, `bodyEnd` after `}`. */
export const SurveyedFunction = z.object({
  /** The mark's id, else one made of crate and path. */
  id: z.string(),
  crate: z.string(),
  file: z.string(),
  path: z.string(),
  signature: z.string(),
  returnType: z.string().nullable(),
  start: z.number().int(),
  bodyStart: z.number().int(),
  bodyEnd: z.number().int(),
  marked: z.boolean(),
  /** Marked for it, or in an unmarked workspace those that name it. */
  tests: z.array(CargoTest),
  negativeControls: z.array(CargoTest),
  /** Of `tests`, those whose own text calls a function of this name. */
  callers: z.array(CargoTest),
  /** Functions of the crate that share the name; what calls one may mean another. */
  sameName: z.number().int(),
  /** Functions of the file that share the whole path: a task could not say which is meant. */
  samePath: z.number().int(),
})
export type SurveyedFunction = z.infer<typeof SurveyedFunction>

/** What a commit's Rust workspace holds that could become tasks, as the survey program tells it. */
export const Survey = z.object({
  commit: z.string(),
  from: z.enum(['marks', 'candidates']),
  manifest: z.string(),
  crates: z.array(
    z.object({
      name: z.string(),
      tests: z.number().int(),
      /** Why its tests could not be built; null where they were. */
      broken: z.string().nullable(),
    }),
  ),
  functions: z.array(SurveyedFunction),
  /** Rust sources by path, with the spans of each that are compiled only under test, and of each test function's body. */
  files: z.record(
    z.string(),
    z.object({
      text: z.string(),
      testSpans: z.array(Span),
      /** By their full path, as the test binary lists them; `at` is where the function itself begins. */
      tests: z.array(Span.extend({ name: z.string(), at: z.number().int() })),
    }),
  ),
})
export type Survey = z.infer<typeof Survey>
