// Plain JavaScript without dependencies: this runs before anything is installed, on any Node from 18.
import { spawn } from 'node:child_process'

/** Programs under way. A terminal's Ctrl-C reaches them by itself; a signal sent to this process alone is passed on to them. */
const running = new Set()

let ending = null

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    ending ??= signal
    for (const child of running) if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    if (running.size === 0) process.exit(130)
  })
}

/** Whether the user asked this process to end. */
export const isEnding = () => ending !== null

/**
 * Runs a program to its end.
 *
 * @param options.capture collects stdout and stderr as text instead of showing them. @param options.onOutput sees captured text as it comes.
 * @param options.graceful takes an interrupted program's own exit code for this process's, where ending is how it is meant to end.
 * @returns `{code, output}`; code is null where it could not be started or a signal ended it, and `failure` then says why.
 */
export function run(command, args, options = {}) {
  const { capture = false, graceful = false, onOutput = () => {}, ...rest } = options
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      ...rest,
      stdio: capture ? ['ignore', 'pipe', 'pipe'] : ['inherit', 'inherit', 'inherit'],
    })
    running.add(child)
    let output = ''
    const collect = (text) => {
      output += text
      onOutput(text)
    }
    child.stdout?.setEncoding('utf8').on('data', collect)
    child.stderr?.setEncoding('utf8').on('data', collect)
    child.on('error', (error) => {
      running.delete(child)
      resolve({ code: null, output, failure: error.message })
    })
    child.on('close', (code, signal) => {
      running.delete(child)
      if (ending !== null) process.exit(graceful ? (code ?? 130) : 130)
      resolve({ code, output, failure: signal === null ? null : `ended by ${signal}` })
    })
  })
}

/** Tells that `what` is still going on, every ten seconds, so that silence never looks like a hang. @returns ends it. */
export function stillWorking(say, what) {
  const started = Date.now()
  const timer = setInterval(() => say(`${what} … ${Math.round((Date.now() - started) / 1000)} s`), 10_000)
  return () => clearInterval(timer)
}
