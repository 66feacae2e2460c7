import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Overlap } from './overlap.ts'

type Line = { raw: string; second: number }

/** A log whose lines are close together and often alike, a little out of order as two streams write them. */
const log = fc
  .array(
    fc.record({
      step: fc.constantFrom(0, 0, 0, 1, 3),
      late: fc.constantFrom(0, 0, 0, 1),
      word: fc.constantFrom('a', 'b'),
    }),
    {
      maxLength: 60,
    },
  )
  .map((items) => {
    let second = 1_800_000_000
    return items.map(({ step, late, word }): Line => {
      second += step
      return { raw: `${second - late} ${word}`, second: second - late }
    })
  })

/** As the API does: every line from a whole second on, in the order of the file. */
const openedSince = (lines: Line[], since: string | null) =>
  since === null ? lines : lines.filter(({ second }) => second * 1000 >= Date.parse(since))

test('cut anywhere, any number of times, every line is new once, in order, and no gap is said', () => {
  fc.assert(
    fc.property(log, fc.array(fc.nat(60)), (lines, cuts) => {
      const overlap = new Overlap()
      const taken: string[] = []
      let gaps = 0
      const read = (upTo: number) => {
        overlap.reopened()
        // What was written when it was opened, and some of what came after.
        for (const { raw, second } of openedSince(lines, overlap.since).slice(0, upTo)) {
          const verdict = overlap.offer(raw, second)
          if (verdict === 'gap') gaps += 1
          if (verdict === 'new') taken.push(raw)
        }
      }
      for (const cut of cuts) read(cut)
      read(lines.length)
      expect([taken, gaps]).toEqual([lines.map(({ raw }) => raw), 0])
    }),
    { numRuns: 2000 },
  )
})

test('a file that holds none of what was taken is a gap, said once', () => {
  const overlap = new Overlap()
  overlap.reopened()
  const first = overlap.offer('1 before', 1_800_000_000)
  overlap.reopened()
  const gap = overlap.offer('5 rotated', 1_800_000_005)
  overlap.taken('5 rotated', 1_800_000_005)
  expect([first, gap, overlap.offer('5 next', 1_800_000_005)]).toEqual(['new', 'gap', 'new'])
  overlap.reopened()
  expect([overlap.offer('5 rotated', 1_800_000_005), overlap.offer('5 next', 1_800_000_005)]).toEqual([
    'seen',
    'seen',
  ])
})
