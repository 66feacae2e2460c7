import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startedProcesses, startMarker } from './started-processes.ts'
import { tempFolder } from './temp-folder.ts'

test('a detached process is found by its marker, with what it runs, until it ends', async () => {
  const marker = startMarker()
  const child = spawn('sleep', ['4711'], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, [marker.name]: marker.value },
  })
  await once(child, 'spawn')
  const during = await startedProcesses(marker)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect({ during, after: await startedProcesses(marker) }).toEqual({
    during: [{ pid: child.pid, text: expect.stringContaining('sleep 4711') }],
    after: [],
  })
})

test('temporary folders of a test file lie in one that is its own', async () => {
  const own = await tempFolder()
  const other = await mkdtemp(join(tmpdir(), 'other-'))
  await rm(other, { recursive: true })
  expect([own, other].every((path) => path.includes('ringside-vitest-'))).toBe(true)
})
