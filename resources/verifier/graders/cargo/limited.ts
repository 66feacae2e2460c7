import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { sandboxFilter, threadsOnlyFilter } from '../../sandbox/seccomp.ts'
import { type ProcessOptions, type ProcessResult, runProcess } from './run-process.ts'

/** Files that hold system call filters; null where this machine's architecture has none. */
export type Filters = { sandbox: string | null; threadsOnly: string | null }

export function writeFilters(folder: string): Filters {
  mkdirSync(folder, { recursive: true })
  const write = (name: string, bytes: Buffer | null) => {
    if (!bytes) return null
    writeFileSync(`${folder}/${name}`, bytes)
    return `${folder}/${name}`
  }
  return {
    sandbox: write('sandbox.filter', sandboxFilter(process.arch)),
    threadsOnly: write('threads-only.filter', threadsOnlyFilter(process.arch)),
  }
}

type Limits = Pick<ProcessOptions, 'timeoutMs' | 'outputBytes' | 'signal' | 'stdin'> & {
  /** Of address space; null for programs that reserve far more than they use. */
  memoryBytes: number | null
  fileBytes: number
  /** Of processor time, in whole seconds upwards; left out, four times the wall time. */
  cpuMs?: number
}

/** A second between the two limits on processor time, so that the first says what it was (SIGXCPU). Limits that a kernel does not know are left out; time and output are this process's own. */
const setLimits = `ulimit -c 0; [ "$1" = 0 ] || ulimit -v "$1" 2>/dev/null; ulimit -f "$2" 2>/dev/null; ulimit -t "$3" 2>/dev/null; shift 3; exec "$@"`

/**
 * Runs `argv` under limits on memory (address space), file size and processor time, the latter four times the wall time for its threads.
 * With filters, `argv` begins with bubblewrap, which is handed them as descriptors, each opened anew so that it is read from its start.
 */
export async function runLimited(
  limits: Limits,
  filters: (string | null)[],
  argv: string[],
  place: { cwd?: string; env?: Record<string, string> } = {},
): Promise<ProcessResult> {
  const descriptors = filters.flatMap((path) => (path === null ? [] : [openSync(path, 'r')]))
  const flags = descriptors.flatMap((_, index) => ['--add-seccomp-fd', `${3 + index}`])
  const [program = '', ...rest] = argv
  const cpuMs = limits.cpuMs ?? limits.timeoutMs * 4
  const numbers = [(limits.memoryBytes ?? 0) / 1024, limits.fileBytes / 512, cpuMs / 1000]
  try {
    return await runProcess({
      ...place,
      timeoutMs: limits.timeoutMs,
      outputBytes: limits.outputBytes,
      signal: limits.signal,
      ...(limits.stdin && { stdin: limits.stdin }),
      descriptors,
      argv: [
        '/bin/sh',
        '-c',
        setLimits,
        'limits',
        ...numbers.map((n) => `${Math.ceil(n)}`),
        program,
        ...flags,
        ...rest,
      ],
    })
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor)
  }
}
