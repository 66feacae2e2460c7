import { afterEach, expect, test } from 'vitest'
import type { RunEvent } from '#shared/journal/events.ts'
import { StandInVerifier } from './testing/stand-in-verifier.ts'
import { bookingFolder, bookingSuite } from './testing/suites.ts'
import { TestRun } from './testing/trainer-process.ts'
import { VerifierProcess } from './testing/verifier-process.ts'

const ended: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end()
})

/** Small enough for real sandboxes in a test, large enough for every kind of completion to come up. */
const trainer = { seed: 3, updates: 3, groupsPerStep: 3, evalDraws: 16 }

/** What a run comes to, whoever graded it: each rollout's reward, and the parameters after every step. */
function result(events: readonly RunEvent[]): unknown[] {
  return events.flatMap((event): unknown[] => {
    if (event.type === 'checkpoint') return [event.sha256]
    if (event.type !== 'rollout.graded' && event.type !== 'eval.draw') return []
    return event.grade.reward === null ? [] : [[event.rollout, event.grade.reward]]
  })
}

async function simulated(): Promise<unknown[]> {
  const verifier = new StandInVerifier(bookingSuite('weak'))
  const run = new TestRun({ trainer })
  ended.push(
    () => verifier.stop(),
    () => run.dispose(),
  )
  expect(await run.runToEnd(await verifier.start())).toBe(0)
  return result(run.events())
}

test('a run graded in real sandboxes comes to what the simulation says, also where the verifier is killed inside a batch', async () => {
  const verifier = new VerifierProcess(bookingFolder('weak'))
  const run = new TestRun({ trainer })
  ended.push(
    () => verifier.dispose(),
    () => run.dispose(),
  )
  const url = await verifier.start(0)
  run.start(url)
  const graded = (events: RunEvent[]) => events.filter((event) => event.type === 'rollout.graded').length
  await run.until((events) => graded(events) >= 1)
  await verifier.end('SIGKILL')
  await run.until((events) => events.some((event) => event.type === 'verifier.blocked'))
  await verifier.start(Number(new URL(url).port))
  expect(await run.exited()).toBe(0)
  const sorted = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).sort()
  expect(sorted(result(run.events()))).toEqual(sorted(await simulated()))
  const statuses = run
    .events()
    .flatMap((event) => ('grade' in event ? [(event.grade as { status: string }).status] : []))
  expect(new Set(statuses).size).toBeGreaterThan(4)
}, 300_000)
