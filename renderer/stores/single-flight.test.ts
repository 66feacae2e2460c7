import { expect, test } from 'vitest'
import { singleFlight } from './single-flight.ts'

test('calls during one under way become exactly one more, which starts after it', async () => {
  const log: string[] = []
  const gates: (() => void)[] = []
  const pull = singleFlight(async () => {
    log.push('start')
    await new Promise<void>((resolve) => gates.push(resolve))
    log.push('end')
  })
  const settle = () => new Promise((resolve) => setTimeout(resolve))

  pull()
  pull()
  pull()
  expect(log).toEqual(['start'])
  gates.shift()?.()
  await settle()
  expect(log).toEqual(['start', 'end', 'start'])
  gates.shift()?.()
  await settle()
  expect(log).toEqual(['start', 'end', 'start', 'end'])
  pull()
  expect(log.at(-1)).toBe('start')
})
