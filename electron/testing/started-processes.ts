import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type Marker = { name: string; value: string }
export type Started = { pid: number; text: string }

/** An environment variable by which everything started from here can be known again. */
export const startMarker = (): Marker => ({ name: 'RINGSIDE_STARTED_BY', value: randomUUID() })

/** Processes, this one apart, that have the marker in their environment. Zombies have none: they ended. */
export async function startedProcesses(marker: Marker): Promise<Started[]> {
  return process.platform === 'linux' ? await fromProc(marker) : await fromPs(marker)
}

async function fromProc({ name, value }: Marker): Promise<Started[]> {
  const pids = (await readdir('/proc')).filter(
    (entry) => /^\d+$/.test(entry) && entry !== String(process.pid),
  )
  const found = await Promise.all(
    pids.map(async (pid) => {
      // Gone meanwhile, or another user's.
      const environ = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
      if (!environ.split('\0').includes(`${name}=${value}`)) return []
      const args = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')
      return [{ pid: Number(pid), text: `${pid} ${args.replaceAll('\0', ' ').trim()}` }]
    }),
  )
  return found.flat()
}

/** Elsewhere `ps -E` shows the environment of one's own processes after their arguments. */
async function fromPs({ name, value }: Marker): Promise<Started[]> {
  const { stdout } = await run('ps', ['-A', '-E', '-ww', '-o', 'pid=,command='], { maxBuffer: 1 << 26 })
  return stdout
    .split('\n')
    .filter((line) => line.includes(`${name}=${value}`))
    .map((line) => ({ pid: Number.parseInt(line, 10), text: line.trim().slice(0, 200) }))
    .filter(({ pid }) => pid !== process.pid)
}
