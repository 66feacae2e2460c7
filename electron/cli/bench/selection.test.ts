import { expect, test } from 'vitest'
import { benchSelection } from './selection.ts'

test('three ways of choosing are compared by seed, with intervals, whichever way they fall', async () => {
  const { figures } = await benchSelection({ seeds: 3, explore: 0.1, progress: () => {} })
  const of = (name: string) => figures.find((figure) => figure.name === name)?.value ?? Number.NaN
  expect([of('seeds'), of('rollouts of a run')]).toEqual([3, 120 * 8 * 8])
  for (const what of ['silent groups', 'rollouts to a pass rate of 0.75', 'pass rate at the end'])
    for (const other of ['uniform', 'curriculum']) {
      const name = `${what}, mixed less ${other}`
      expect(of(name)).toBeCloseTo(of(`${what}, mixed`) - of(`${what}, ${other}`), 9)
      expect(of(`${name}, 95 % from`)).toBeLessThan(of(name))
      expect(of(`${name}, 95 % to`)).toBeGreaterThan(of(name))
    }
  // The one thing that such a choice promises; what it brings is for the figures to say.
  expect(of('silent groups, mixed less uniform, 95 % to')).toBeLessThan(0)
})
