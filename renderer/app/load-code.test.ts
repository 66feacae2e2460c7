import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useApp } from '../stores/app.ts'
import { loadCode } from './load-code.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  useApp.setState({ lost: null })
})

test('code that cannot be had while the core is away comes when it is back', async () => {
  useApp.setState({ lost: 'gone' })
  let away = true
  const load = vi.fn(() =>
    away ? Promise.reject(new TypeError('Failed to fetch')) : Promise.resolve('code'),
  )
  const loaded = loadCode(load)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(load.mock.calls.length).toBeGreaterThan(30)
  away = false
  useApp.setState({ lost: null })
  await vi.advanceTimersByTimeAsync(2000)
  expect(await loaded).toBe('code')
})

test('code that a core in reach does not give is a fault', async () => {
  const load = vi.fn(() => Promise.reject(new TypeError('Failed to fetch')))
  const loaded = loadCode(load)
  const refused = expect(loaded).rejects.toThrow('Failed to fetch')
  await vi.advanceTimersByTimeAsync(10_000)
  await refused
  expect(load).toHaveBeenCalledTimes(3)
})
