import { expect, test } from 'vitest'
import { EventOutbox } from './event-outbox.ts'

test('a window that does not read gets the latest of each kind and subject, and how many it missed', () => {
  const sent: unknown[] = []
  let full = false
  const outbox = new EventOutbox(
    (frame) => sent.push(JSON.parse(frame)),
    () => full,
  )
  outbox.push('run.advanced', { run: 'a', seq: 1 })
  full = true
  outbox.push('run.advanced', { run: 'a', seq: 2 })
  outbox.push('run.advanced', { run: 'b', seq: 1 })
  outbox.push('log.advanced', { run: 'a', stream: 'trainer', size: 10 })
  outbox.push('log.advanced', { run: 'a', stream: 'verifier', size: 20 })
  outbox.push('run.advanced', { run: 'a', seq: 3 })
  outbox.push('run.advanced', { run: 'a', seq: 4 })
  full = false
  outbox.flush()
  outbox.flush()
  expect(sent).toEqual([
    { t: 'event', seq: 0, name: 'run.advanced', payload: { run: 'a', seq: 1 } },
    { t: 'event', seq: 1, name: 'run.advanced', payload: { run: 'b', seq: 1 }, dropped: 2 },
    { t: 'event', seq: 2, name: 'log.advanced', payload: { run: 'a', stream: 'trainer', size: 10 } },
    { t: 'event', seq: 3, name: 'log.advanced', payload: { run: 'a', stream: 'verifier', size: 20 } },
    { t: 'event', seq: 4, name: 'run.advanced', payload: { run: 'a', seq: 4 } },
  ])
})
