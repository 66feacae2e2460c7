// Plain JavaScript without dependencies: this runs before anything is installed, on any Node from 18.
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

const mark = `RINGSIDE_TEST_RUN=${randomUUID()}`

/** Marks this process's environment, which everything started from here inherits, however detached it runs. */
export function markWhatIsStarted() {
  const [name = '', value = ''] = mark.split('=')
  process.env[name] = value
}

/**
 * What carries the mark and still runs, this process apart.
 *
 * @returns {{pid: number, text: string}[]}
 */
export function leftovers() {
  const all = process.platform === 'linux' ? fromProc() : fromPs()
  return all.filter(({ pid }) => pid !== process.pid)
}

/** Ends them at once: they are what a test, or one that was interrupted, forgot. */
export function endLeftovers() {
  for (const { pid } of leftovers()) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended by itself meanwhile.
    }
  }
}

function fromProc() {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      if (!read(`/proc/${pid}/environ`).split('\0').includes(mark)) return []
      return [{ pid: Number(pid), text: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim() }]
    })
}

/** Elsewhere `ps -E` shows the environment of one's own processes after their arguments. */
function fromPs() {
  const { stdout } = spawnSync('ps', ['-A', '-E', '-ww', '-o', 'pid=,command='], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  return (stdout ?? '')
    .split('\n')
    .filter((line) => line.includes(mark))
    .map((line) => ({ pid: Number.parseInt(line, 10), text: line.trim().slice(0, 200) }))
}

/** Gone meanwhile, or another user's: nothing of ours. */
function read(file) {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
