import type { SketchRunSpec } from '#shared/domain/run.ts'
import type { Control } from './control.ts'
import type { PatientGrader } from './patient-grader.ts'
import type { Recall } from './recall.ts'
import type { RunFolder } from './run-folder.ts'

/** What every phase of a run works with. */
export type Context = {
  spec: SketchRunSpec
  folder: RunFolder
  recall: Recall
  control: Control
  grader: PatientGrader
  /** A line for the person who watches the trainer's log. */
  log: (text: string) => void
}
