import { expect, test } from 'vitest'
import { LiveData } from '../../stores/live-data.ts'
import { FakeCore } from '../../testing/fake-core.ts'
import { fakeSpec } from '../../testing/fake-spec.ts'
import { csvOf, toCsv } from './panel-csv.ts'

test('a table quotes what needs it and leaves what is unknown empty', () => {
  expect(
    toCsv([
      ['a', 'b,"c"'],
      [null, 0],
    ]),
  ).toBe('a,"b,""c"""\r\n,0\r\n')
})

test('panels put out what they draw: a line a step, a mark or a task', () => {
  const core = new FakeCore(fakeSpec)
  core.advanceTo(core.timeOf((event) => event.type === 'verifier.blocked') + 1000)
  const data = new LiveData()
  data.apply(core.deltaOf(fakeSpec.run, 0), core.nowMs)
  const lines = (panel: Parameters<typeof csvOf>[0]) => csvOf(panel, data).trimEnd().split('\r\n')
  expect(lines('loss')[0]).toBe('step,loss,grad_norm,parameter_delta')
  expect(lines('loss').at(-1)).toBe('9,,,')
  expect(lines('rewards').length).toBe(1 + data.pointCount)
  expect(lines('rewards').filter((line) => line.includes(',unreachable,,')).length).toBe(12)
  expect(lines('tasks')[1]).toMatch(/^1,required-capacity,\d+,32$/)
  expect(lines('silent').length).toBe(1 + data.steps.length)
})
