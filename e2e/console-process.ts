import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const root = join(import.meta.dirname, '..')

export type ConsoleProcess = {
  /** The address it printed, good for one window. */
  url: string
  port: number
  process: ChildProcess
  /** What it wrote so far. */
  output(): string
  /** Ends it as Ctrl-C does, or at once with SIGKILL; runs go on. */
  end(signal?: NodeJS.Signals): Promise<void>
}

/** Starts the browser shell as a user would, on `home` as its data folder. */
export async function startConsole(
  home: string,
  port = 0,
  env: Record<string, string> = {},
): Promise<ConsoleProcess> {
  const child = spawn(process.execPath, ['electron/serve/main.ts', '--no-open', '--port', String(port)], {
    cwd: root,
    env: { ...process.env, RINGSIDE_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const collect = (text: string) => {
    output += text
  }
  child.stdout.setEncoding('utf8').on('data', collect)
  child.stderr.setEncoding('utf8').on('data', collect)
  const exited = once(child, 'exit')
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/.exec(line)
      if (found) resolve(found[0])
    })
    exited.then(([code]) =>
      reject(new Error(`The console ended with ${code} before it was open:\n${output}`)),
    )
  })
  return {
    url,
    port: Number(new URL(url).port),
    process: child,
    output: () => output,
    end: async (signal = 'SIGTERM') => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      await exited
    },
  }
}
