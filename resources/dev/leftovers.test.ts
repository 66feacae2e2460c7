import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { endLeftovers, leftovers, markWhatIsStarted } from './leftovers.mjs'

test('what outlives the tests is found, however detached, and ended', async () => {
  const unmarked = spawn('sleep', ['4712'], { stdio: 'ignore' })
  await once(unmarked, 'spawn')
  markWhatIsStarted()
  const marked = spawn('sleep', ['4713'], { stdio: 'ignore', detached: true, env: { ...process.env } })
  await once(marked, 'spawn')
  const during = leftovers()
  const ended = once(marked, 'exit')
  endLeftovers()
  await ended
  const spared = unmarked.exitCode === null && unmarked.signalCode === null
  unmarked.kill()
  await once(unmarked, 'exit')
  expect({ during, after: leftovers(), spared }).toEqual({
    during: [{ pid: marked.pid, text: expect.stringContaining('sleep 4713') }],
    after: [],
    spared: true,
  })
})
