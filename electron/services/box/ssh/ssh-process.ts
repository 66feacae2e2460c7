import { type ChildProcessWithoutNullStreams, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process'
import { AppError } from '#shared/base/errors.ts'

/**
 * Starts a program of the system's. Where the machine has no process or file left for it, Node gives a child without pipes, and tells the reason later.
 * @throws {AppError} `unreachable`, which is tried again.
 */
export function startProgram(
  command: string,
  args: readonly string[],
  options: SpawnOptionsWithoutStdio = {},
): ChildProcessWithoutNullStreams {
  const child = spawn(command, args, { ...options, stdio: 'pipe' })
  // Who waits for its end listens too; without any listener the error would end the console.
  child.on('error', () => undefined)
  const { stdin, stdout, stderr } = child as { stdin?: unknown; stdout?: unknown; stderr?: unknown }
  if (stdin && stdout && stderr) return child
  throw new AppError('unreachable', `${command} could not be started: this machine has no room for it now.`)
}
