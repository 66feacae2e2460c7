import { z } from 'zod'
import type { SuiteRef } from '../domain/run.ts'
import type { ControlResult } from '../domain/verifier.ts'
import type { Difficulty } from '../selection/difficulty.ts'
import type { BuildReport } from '../tasks/report.ts'
import type { Dropped } from '../tasks/rules.ts'

/** What the window asks about sets of tasks. A set is named by its suite folder's path. */
export const taskInputs = {
  'tasks.sets': z.object({}),
  'tasks.list': z.object({ set: z.string().min(1).max(4000) }),
  'tasks.get': z.object({ set: z.string().min(1).max(4000), task: z.string().min(1).max(300) }),
} as const

export type TaskSet = SuiteRef & {
  grader: string
  language: string
  tasks: number
  description: string
  /** A run has used this very content: it never changes again. */
  frozen: boolean
  /** Of the build or import that made it; null for a suite that came otherwise. */
  found: number | null
  dropped: number | null
}

/** Full passes among rollouts with a number; `silent` ones have none. */
export type PassRate = { passed: number; graded: number; silent: number }

export type TaskRow = {
  task: string
  /** What splits hold out as a whole: a crate, a generator. */
  group: string | null
  /** Where its function stands, or what the item is about. */
  place: string | null
  tests: number
  promptTokens: number | null
  logicLines: number | null
  commits: number | null
  buildMs: number | null
  testMs: number | null
  controls: { held: number; of: number } | null
  /** Of the initial checkpoint, over every run that measured it; null where none did. */
  initial: PassRate | null
  /** Of training rollouts and the last evaluation, over all runs. */
  later: PassRate | null
  difficulty: Difficulty
}

export type TaskList = {
  set: TaskSet
  rows: TaskRow[]
  dropped: Dropped[]
  report: Pick<
    BuildReport,
    'source' | 'tokens' | 'thresholds' | 'corpus' | 'notes' | 'tests' | 'memory'
  > | null
}

export type TaskPage = {
  set: TaskSet
  row: TaskRow
  language: string
  prompt: string
  signature: string
  /** Null where the suite has no reference. */
  body: string | null
  tests: { name: string; control: boolean; input: string | null; expected: string | null }[]
  /** Tests beyond those told here. */
  moreTests: number
  controls: ControlResult[]
  history: (PassRate & {
    run: string
    version: string
    phase: 'baseline' | 'training' | 'final'
    at: string | null
  })[]
}

export type TaskOutputs = {
  'tasks.sets': TaskSet[]
  'tasks.list': TaskList
  'tasks.get': TaskPage
}
