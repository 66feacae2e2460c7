import { execFile } from 'node:child_process'

/** A login shell that asks something, or that waits for a network, must not hold the window. */
const limitMs = 5_000
const mark = '__RINGSIDE_PATH__'

let known: Promise<string> | null = null

/**
 * The PATH that the person has in a terminal: an application started from a desktop has a short one, without the folders that credential
 * plugins lie in. Asked once. Where the shell does not say, the environment's own.
 */
export function loginPath(env: NodeJS.ProcessEnv): Promise<string> {
  known ??= askShell(env)
  return known
}

export function askShell(env: NodeJS.ProcessEnv): Promise<string> {
  const own = env.PATH ?? '/usr/local/bin:/usr/bin:/bin'
  const shell = env.SHELL || '/bin/sh'
  return new Promise((resolve) => {
    // Not interactive where the shell is plain: such a shell would want a terminal.
    const flags = /\/(zsh|bash|fish)$/.test(shell) ? '-ilc' : '-lc'
    execFile(
      shell,
      [flags, `printf '%s%s\\n' ${mark} "$PATH"`],
      { env, timeout: limitMs, killSignal: 'SIGKILL' },
      (_failure, stdout) => {
        const said = String(stdout)
          .split('\n')
          .findLast((line) => line.includes(mark))
          ?.split(mark)[1]
        resolve(joined(said ?? '', own))
      },
    ).stdin?.end()
  })
}

/** Both, each folder once: a shell that says too little takes nothing away. */
const joined = (...paths: string[]) => [...new Set(paths.join(':').split(':').filter(Boolean))].join(':')
