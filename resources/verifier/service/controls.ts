import { toAppError } from '#shared/base/errors.ts'
import type { ControlResult, ControlsReport } from '#shared/domain/verifier.ts'
import { textSha256 } from '../evidence/bytes.ts'
import type { Control, Grader, Verdict } from '../graders/grader.ts'
import type { SlotPool } from '../queue/slot-pool.ts'
import { untested } from './to-grade.ts'

/** Runs the grader's self-test on the named tasks. Each control is executed anew every time; nothing of it enters the grade book. */
export async function runControls(
  grader: Grader,
  pool: SlotPool,
  tasks: string[],
  signal: AbortSignal,
): Promise<ControlsReport> {
  const controls = await Promise.all(
    tasks.flatMap((task) => grader.controls(task).map((control) => runControl(pool, task, control, signal))),
  )
  return { tasks: tasks.length, controls, holds: controls.every(({ holds }) => holds) }
}

async function runControl(
  pool: SlotPool,
  task: string,
  control: Control,
  signal: AbortSignal,
): Promise<ControlResult> {
  const started = performance.now()
  const verdict = await verdictOn(pool, task, control, signal).catch((failure) =>
    untested('unresolved', toAppError(failure).code),
  )
  const reasonFits =
    control.reasons === undefined || (verdict.reason !== null && control.reasons.includes(verdict.reason))
  return {
    task,
    control: control.name,
    expected: control.expected.join(' or ') + (control.reasons ? ` (${control.reasons.join(' or ')})` : ''),
    got: verdict.status + (verdict.reason === null ? '' : ` (${verdict.reason})`),
    holds: control.expected.includes(verdict.status) && reasonFits,
    ms: Math.round(performance.now() - started),
  }
}

async function verdictOn(
  pool: SlotPool,
  task: string,
  control: Control,
  signal: AbortSignal,
): Promise<Verdict> {
  const verdict =
    'probe' in control
      ? await pool.withAll(task, (slots) => control.probe(slots, signal))
      : await pool.withSlot(
          task,
          () => !signal.aborted,
          (slot) => slot.grade({ task, body: control.body, bodySha256: textSha256(control.body), signal }),
        )
  return verdict ?? untested('unresolved', 'verifier_ending')
}
