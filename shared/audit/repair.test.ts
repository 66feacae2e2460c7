import { expect, it } from 'vitest'
import { casesToDrop, effectOf } from './repair.ts'

const one = (id: string, family: string) => ({ id, family, input: '[]', expected: '0' })
const cases = [one('e-1', 'empty'), one('o-1', 'ordinary'), one('o-2', 'ordinary'), one('o-3', 'ordinary')]

it('leaves out first what no saved body needs, and never what alone rejects a wrong one while another can go', () => {
  const bodies = [
    { right: false, failed: ['o-1'] },
    { right: null, failed: ['o-2', 'o-3'] },
    { right: true, failed: ['o-1', 'o-2'] },
    { right: false, failed: [] },
  ]
  // The unknown body is rejected by o-2 and o-3: one of them can go, and then the other is needed; the empty case is the last of its family.
  expect(casesToDrop(cases, bodies, 4)).toEqual(['o-3', 'e-1', 'o-2', 'o-1'])
  expect(casesToDrop(cases, [], 2)).toEqual(['o-3', 'o-2'])
})

it('counts what a repair removes, lets in and loses', () => {
  const body = (right: boolean, before: boolean, after: boolean, draws: number) => ({
    right,
    draws,
    audit: right ? 1 : 0.5,
    before: { accepted: before, score: 1 },
    after: { accepted: after, score: 1 },
  })
  const effect = effectOf([
    body(true, true, true, 5),
    body(true, true, false, 2),
    body(false, true, false, 3),
    body(false, true, true, 4),
    body(false, false, true, 7),
  ])
  expect(effect).toEqual({
    programs: {
      before: { acceptedRight: 2, acceptedWrong: 2, rejectedRight: 0, rejectedWrong: 1 },
      after: { acceptedRight: 1, acceptedWrong: 2, rejectedRight: 1, rejectedWrong: 1 },
    },
    draws: {
      before: { acceptedRight: 7, acceptedWrong: 7, rejectedRight: 0, rejectedWrong: 7 },
      after: { acceptedRight: 5, acceptedWrong: 11, rejectedRight: 2, rejectedWrong: 3 },
    },
    removed: 1,
    added: 1,
    lost: 1,
  })
})
