import { expect, test } from 'vitest'
import { LiveData } from '../../stores/live-data.ts'
import { FakeCore } from '../../testing/fake-core.ts'
import { fakeSpec } from '../../testing/fake-spec.ts'
import { domainOf } from './figures.ts'
import { groupShape, layoutStrip, markAt, pointAt } from './strip-layout.ts'

function blockedRun() {
  const core = new FakeCore(fakeSpec)
  core.advanceTo(core.timeOf((event) => event.type === 'verifier.blocked') + 20_000)
  const data = new LiveData()
  data.apply(core.deltaOf(fakeSpec.run, 0), core.nowMs)
  return { data, layout: layoutStrip(1000, 300, domainOf(data)), shape: groupShape(data) }
}

const all = (data: LiveData) => data.stepsWithPoints().flatMap((step) => data.pointsOf(step))

test('what is not graded stays in its lane, and nothing graded comes near it', () => {
  const { data, layout, shape } = blockedRun()
  const inLane = (y: number) =>
    y - layout.radius >= layout.lane.top && y + layout.radius <= layout.lane.bottom
  const misplaced = all(data).filter((point) => {
    const { y } = markAt(layout, point, shape)
    return point.r === null ? !inLane(y) : y + 2 * layout.radius > layout.lane.top
  })
  expect(misplaced).toEqual([])
  expect(all(data).filter((point) => point.r === null)).toHaveLength(12)
})

test('partial credit is drawn at its exact height', () => {
  const { data, layout, shape } = blockedRun()
  const partial = all(data).filter((point) => point.s === 'test_failed' && point.r !== null && point.r > 0)
  expect(partial.length).toBeGreaterThan(50)
  expect(partial.map((point) => markAt(layout, point, shape).y)).toEqual(
    partial.map((point) => layout.y.at(point.r ?? -1)),
  )
})

test('the mark under the hand is found, and none in empty space', () => {
  const { data, layout, shape } = blockedRun()
  const sample = all(data).filter((_, index) => index % 17 === 0)
  const found = sample.map((point) => {
    const { x, y } = markAt(layout, point, shape)
    return pointAt(data, layout, x + 0.3, y - 0.3)?.id
  })
  expect(found).toEqual(sample.map((point) => point.id))
  expect(pointAt(data, layout, layout.x.at(20), layout.y.at(0.5))).toBeNull()
})
