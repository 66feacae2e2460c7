import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { AppError } from '#shared/base/errors.ts'

const run = promisify(execFile)

/** The plain way: start Python, load the program, call it once, print the result. No limit, no library but JSON. */
const runner = [
  'import json, sys',
  'body, function, arguments = json.load(sys.stdin)',
  'scope = {"__name__": "solution"}',
  'exec(compile(body, "solution", "exec"), scope)',
  'print(json.dumps(scope[function](*json.loads(arguments))))',
].join('\n')

/** What one would write to have every input in a sandbox of its own: namespaces, no capability, another user, a new tmp. */
const bubblewrap = [
  ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--uid', '65534'],
  ...['--gid', '65534', '--clearenv', '--ro-bind', '/', '/', '--tmpfs', '/tmp'],
]

export type PlainWay = { bodies: string[]; inputs: string[]; function: string; workers: number }

/** Runs every body on every input, `workers` at a time, each by the command line `command` and its own fresh interpreter. */
export async function runPlainly(command: string[], way: PlainWay): Promise<void> {
  const [program = '', ...args] = [...command, '-I', '-S', '-c', runner]
  const todo = way.bodies.flatMap((body) =>
    way.inputs.map((input) => JSON.stringify([body, way.function, input])),
  )
  const worker = async () => {
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      const started = run(program, args)
      started.child.stdin?.end(next)
      await started
    }
  }
  await Promise.all(Array.from({ length: way.workers }, worker))
}

/** The interpreter itself: what is on the PATH may be a script that looks for it first, at a cost that would flatter us. */
export async function pythonPath(): Promise<string> {
  const python = process.env.RINGSIDE_PYTHON ?? 'python3'
  const ask = 'import sys; print(getattr(sys, "_base_executable", None) or sys.executable)'
  const { stdout } = await run(python, ['-c', ask]).catch(() => {
    throw new AppError('python_missing', `${python} does not run.`)
  })
  return stdout.trim()
}

/** The interpreter inside a bubblewrap, or null where there is none that works. */
export async function boxed(python: string): Promise<string[] | null> {
  const command = [process.env.RINGSIDE_BWRAP ?? 'bwrap', ...bubblewrap, python]
  const [program = '', ...args] = command
  return run(program, [...args, '-I', '-S', '-c', 'pass']).then(
    () => command,
    () => null,
  )
}
