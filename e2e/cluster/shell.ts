import { execFileSync, spawnSync } from 'node:child_process'

export const say = (text: string) => process.stderr.write(`cluster: ${text}\n`)

type Options = { cwd?: string; env?: NodeJS.ProcessEnv; input?: string | Buffer }

/** Runs a program to its end and gives its stdout. @throws Error with the end of its stderr. */
export function run(command: string, args: string[], options: Options = {}): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    ...options,
  })
  if (error) throw new Error(`${command} could not be run: ${error.message}`)
  if (status === 0) return stdout
  const why = stderr.trim().split('\n').slice(-5).join('\n')
  throw new Error(`${command} ${args.slice(0, 3).join(' ')} … ended with ${status}: ${why}`)
}

/** Whether a program ends with 0; what it says is of no interest. */
export function succeeds(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Asks until `holds`. @throws Error naming `what` after `seconds`. */
export async function until(
  what: string,
  seconds: number,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadline = Date.now() + seconds * 1000
  for (;;) {
    if (await holds()) return
    if (Date.now() > deadline) throw new Error(`${what}: not within ${seconds} s`)
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}
