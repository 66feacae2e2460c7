import { describe, expect, it } from 'vitest'
import { type Json, shrink } from './shrink.ts'

type Booking = [number, number]

/** Largest number active at once; `strict` keeps a booking that ends where the next starts, which is wrong. */
function capacity(bookings: Booking[], strict: boolean): number {
  const active = (time: number) =>
    bookings.filter(([start, end]) => start <= time && (strict ? time <= end : time < end)).length
  return Math.max(0, ...bookings.map(([start]) => active(start)))
}

const differ = (seen: Json[][]) => (batch: Json[][]) => {
  seen.push(...batch)
  return Promise.resolve(
    batch.map(([list]) => capacity(list as Booking[], true) !== capacity(list as Booking[], false)),
  )
}

describe('shrinking a witness', () => {
  it('ends at two bookings that touch, in the smallest numbers of the same order', async () => {
    const bookings = Array.from({ length: 14 }, (_, i): Booking => [3600 + 70 * i, 3640 + 70 * i])
    bookings.push([3664, 3670], [3670, 3676])
    const seen: Json[][] = []
    const { args } = await shrink([bookings], differ(seen))
    expect(args).toEqual([
      [
        [0, 1],
        [1, 2],
      ],
    ])
    // Every input that was tried is one the domain allows: pairs, and each start before its end.
    const odd = seen.filter(([list]) =>
      (list as Json[][]).some((pair) => pair.length !== 2 || !((pair[0] ?? 0) < (pair[1] ?? 0))),
    )
    expect(odd).toEqual([])
  })

  it('gives back what cannot be made smaller', async () => {
    const smallest: Json[] = [
      [
        [0, 1],
        [1, 2],
      ],
    ]
    expect(await shrink(smallest, differ([]))).toMatchObject({ args: smallest })
  })

  it('shortens ragged lists inside, and values of objects', async () => {
    const wants = (batch: Json[][]) =>
      Promise.resolve(batch.map((args) => JSON.stringify(args).includes('7')))
    const { args } = await shrink([[[5, 7, 1], [2], [3, 4]], { tags: ['a', 'b'] }], wants)
    expect(args).toEqual([[[7]], { tags: [] }])
  })
})
