import { expect, it } from 'vitest'
import { suspicions } from './suspicion.ts'

const reference = `import heapq

def f(items):
    total = 0
    for item in items:
        total += item
    return total
`

it('names what stands out beside the reference, and nothing of a body like it', () => {
  const one = (bodySha256: string, body: string, task = 't') => ({ task, bodySha256, body })
  const found = suspicions(
    [
      one('like', reference.replace('total', 'result')),
      one('imports', `import os, heapq\nfrom sys import argv\n${reference}`),
      one('constant', 'def f(items):\n    return 3\n'),
      one('either', `${reference.replace('return total', 'if total > 3:\n        return 1\n    return 0')}`),
      one('twice', `${reference}# both`),
      one('twice', `${reference}# both`, 'u'),
    ],
    new Map([['t', reference]]),
  )
  expect(Object.fromEntries(found)).toEqual({
    imports: ['imports'],
    constant: ['very_short', 'constant'],
    either: ['constant'],
    twice: ['same_for_tasks'],
  })
})
