import { spawn } from 'node:child_process'

export type ProcessResult = {
  /** Null where a signal ended it. */
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  /** Bytes beyond the limit, which were not kept. */
  cutBytes: number
  timedOut: boolean
  /** It wrote more than its limit and was ended for it. */
  flooded: boolean
  ms: number
}

export type ProcessOptions = {
  argv: string[]
  cwd?: string
  env?: Record<string, string>
  timeoutMs: number
  /** Of both streams together. */
  outputBytes: number
  /** What it reads; without it its input is empty. */
  stdin?: Uint8Array
  /** Files handed on as descriptors 3, 4 and so on. */
  descriptors?: number[]
  signal?: AbortSignal | undefined
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Gone already.
  }
}

/** Runs a program in a process group of its own and waits until all of its output has ended; the whole group is killed at any limit. */
export function runProcess(options: ProcessOptions): Promise<ProcessResult> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    if (options.signal?.aborted) return reject(options.signal.reason)
    const [file = '', ...args] = options.argv
    const child = spawn(file, args, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: options.env ?? {},
      detached: true,
      stdio: [options.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe', ...(options.descriptors ?? [])],
    })
    // One that ends without reading all of its input closes the pipe, which says nothing about it.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(options.stdin)
    const kept: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] }
    let left = options.outputBytes
    let cutBytes = 0
    let timedOut = false
    const end = () => child.pid !== undefined && killGroup(child.pid)
    const timer = setTimeout(() => {
      timedOut = true
      end()
    }, options.timeoutMs)
    options.signal?.addEventListener('abort', end)
    const take = (name: 'stdout' | 'stderr') => (chunk: Buffer) => {
      kept[name].push(chunk.subarray(0, left))
      cutBytes += Math.max(0, chunk.length - left)
      left = Math.max(0, left - chunk.length)
      if (cutBytes > 0) end()
    }
    child.stdout?.on('data', take('stdout'))
    child.stderr?.on('data', take('stderr'))
    child.on('error', (failure) => {
      clearTimeout(timer)
      reject(failure)
    })
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      options.signal?.removeEventListener('abort', end)
      end()
      if (options.signal?.aborted) return reject(options.signal.reason)
      resolve({
        code,
        signal,
        stdout: Buffer.concat(kept.stdout).toString('utf8'),
        stderr: Buffer.concat(kept.stderr).toString('utf8'),
        cutBytes,
        timedOut,
        flooded: cutBytes > 0,
        ms: performance.now() - started,
      })
    })
  })
}
