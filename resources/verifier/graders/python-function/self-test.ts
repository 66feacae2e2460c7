import { defaultLimits } from './default-limits.ts'
import type { Interpreter } from './interpreter.ts'
import type { Launcher } from './launcher.ts'
import { runProgram } from './session.ts'
import { startSandbox } from './standby.ts'

/** Runs one known program. @returns null where it answers as it must, else what went wrong, for people. */
export async function selfTest(launcher: Launcher, python: Interpreter): Promise<string | null> {
  const program = {
    function: 'twice',
    body: 'def twice(value):\n    return value * 2\n',
    inputs: ['[21]'],
    limits: defaultLimits,
  }
  const sandbox = startSandbox(launcher, python.harness, 0, program.limits)
  const report = await runProgram(launcher, sandbox, 0, program, new AbortController().signal)
  const [found] = report.cases
  if (found?.value === '42') return null
  return found?.detail || report.detail || report.reason || 'no answer'
}
