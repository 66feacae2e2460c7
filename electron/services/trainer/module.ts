import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import { programs } from '../core/programs.ts'
import { findPython } from '../runs/preflight/checks.ts'

type ModuleOptions = {
  input?: string
  limitMs: number
  /** Interpreter, of a bootstrapped environment for example; null: the machine's own Python. */
  python?: string | null
  /** Ends a program on this machine; on another it is left to its own end. */
  signal?: AbortSignal
}

type ModuleResult = { code: number; stdout: string; stderr: string }

/**
 * Runs a module of the pipeline's trainer on one machine, to its end: `ringside_trainer.NAME`. What it says is its caller's to read.
 * @throws {AppError} `python_missing`, `timed_out`, or what keeps the machine from being reached.
 */
export type TrainerModule = (
  name: string,
  args: readonly string[],
  options: ModuleOptions,
) => Promise<ModuleResult>

/** This machine. */
export function localModule(env: NodeJS.ProcessEnv): TrainerModule {
  return async (name, args, { input, limitMs, python, signal }) => {
    const command = python ?? (await findPython(env))?.path
    if (command === undefined)
      throw new AppError('python_missing', 'This needs Python 3.10 or later, and there is none here.')
    return new Promise((resolve, reject) => {
      const child = execFile(
        command,
        ['-B', '-m', `ringside_trainer.${name}`, ...args],
        {
          env: { ...env, PYTHONPATH: dirname(programs.trainer) },
          timeout: limitMs,
          maxBuffer: 16 << 20,
        },
        (failure, stdout, stderr) => {
          const code = failure === null ? 0 : failure.code
          if (signal?.aborted) reject(new AppError('not_running', `${name} was ended.`))
          else if (typeof code === 'number') resolve({ code, stdout, stderr })
          else if (failure?.killed)
            reject(new AppError('timed_out', `${name} did not finish within ${limitMs / 1000} s.`))
          else reject(new AppError('python_missing', `${command} cannot be started.`, { cause: failure }))
        },
      )
      // Not execFile's own signal: it would not wait until the program is gone.
      signal?.addEventListener('abort', () => child.kill('SIGTERM'), { once: true })
      child.stdin?.on('error', () => undefined)
      child.stdin?.end(input ?? '')
    })
  }
}

/** The last line that a program said about why it failed, as a sentence. */
export function lastSaid(stderr: string, otherwise: string): string {
  const text = stderr.trim().split('\n').at(-1) || otherwise
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`
}
