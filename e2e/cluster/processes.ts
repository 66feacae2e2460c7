import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { places } from './places.ts'
import { until } from './shell.ts'

/** A process by its number and the tick it started at: a number alone is given to others later. */
type Record = { pid: number; startedAt: string }

const recordOf = (name: string) => join(places.records, `${name}.json`)

/** Starts a program of the cluster that outlives this process; one that runs already is left as it is. */
export function start(name: string, command: string, args: string[]): void {
  if (isUp(name)) return
  mkdirSync(places.records, { recursive: true })
  mkdirSync(places.logs, { recursive: true })
  const log = openSync(join(places.logs, `${name}.log`), 'a')
  // What started the cluster (a test run that looks for what it left behind) is no business of the cluster's.
  const { PATH, HOME } = process.env
  const child = spawn(command, args, { detached: true, stdio: ['ignore', log, log], env: { PATH, HOME } })
  closeSync(log)
  child.on('error', () => undefined)
  const { pid } = child
  if (pid === undefined) throw new Error(`${name} could not be started: is ${command} installed?`)
  child.unref()
  const record: Record = { pid, startedAt: startOf(pid) ?? '' }
  writeFileSync(recordOf(name), JSON.stringify(record))
}

export function isUp(name: string): boolean {
  const record = read(name)
  return record !== null && startOf(record.pid) === record.startedAt
}

/** Ends what `start` started, kindly first. Only the very process that was recorded. */
export async function stop(name: string): Promise<void> {
  const record = read(name)
  if (record !== null && isUp(name)) {
    process.kill(record.pid, 'SIGTERM')
    await until(`${name} to end`, 20, () => !isUp(name)).catch(() => process.kill(record.pid, 'SIGKILL'))
    await until(`${name} to be gone`, 10, () => !isUp(name))
  }
  rmSync(recordOf(name), { force: true })
}

function read(name: string): Record | null {
  const file = recordOf(name)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record) : null
}

/** Field 22 of `/proc/PID/stat`, after the program's name, which may hold anything. Null for no such process, or a zombie. */
function startOf(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? null : (fields[19] ?? null)
  } catch {
    return null
  }
}
