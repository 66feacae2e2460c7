import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'
import { startedProcesses, startMarker } from './started-processes.ts'

/**
 * Set up for every test file: when its tests are over, nothing that they started or made may be left. Processes are found by a marker in
 * their environment (a detached one is nobody's child any more), temporary files because each test file gets a folder of its own for
 * them, and servers, sockets and watchers by what keeps this process alive.
 */
const marker = startMarker()
process.env[marker.name] = marker.value

const folder = mkdtempSync(join(tmpdir(), 'ringside-vitest-'))
process.env.TMPDIR = folder

const watched = new Set([
  'TCPServerWrap',
  'TCPSocketWrap',
  'PipeServerWrap',
  'ProcessWrap',
  'FSEventWrap',
  'StatWatcher',
])
const handles = () => process.getActiveResourcesInfo().filter((kind) => watched.has(kind))
const handlesBefore = handles()

/** What ends does so a moment after it was told to: a closed socket, a killed process. Beyond this it is a leak. */
const graceMs = 5_000

async function leaks(): Promise<{ processes: string[]; files: string[]; handles: string[] }> {
  const processes = await startedProcesses(marker)
  const extra = handles()
  for (const kind of handlesBefore) {
    const at = extra.indexOf(kind)
    if (at !== -1) extra.splice(at, 1)
  }
  return { processes: processes.map(({ text }) => text), files: readdirSync(folder), handles: extra }
}

afterAll(async () => {
  const deadline = Date.now() + graceMs
  const none = { processes: [], files: [], handles: [] }
  let left = await leaks()
  while (JSON.stringify(left) !== JSON.stringify(none) && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    left = await leaks()
  }
  for (const { pid } of await startedProcesses(marker)) endQuietly(pid)
  rmSync(folder, { recursive: true, force: true })
  expect(left, 'left behind by this test file').toEqual(none)
})

function endQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself meanwhile.
  }
}
