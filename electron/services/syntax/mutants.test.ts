import { describe, expect, it } from 'vitest'
import { type Mutant, mutantsOf } from '#shared/mutation/mutants.ts'
import { loadParser } from './parser.ts'

const python = await loadParser('python')
const rust = await loadParser('rust')

const pythonBody = `import heapq

def required_capacity(bookings):
    """Größe: 1 < 2 stays as it is."""
    ends = []
    best = 0
    for start, end in sorted(bookings):
        while ends and ends[0] <= start:
            heapq.heappop(ends)
        heapq.heappush(ends, end)
        best = max(best, len(ends))
    return best
`
const rustBody = `{
    let mut total = 0;
    for i in 0..limit {
        if values[i] > floor && i != 3 {
            total += values[i];
        }
    }
    total.max(1)
}`

const changes = (mutants: Mutant[], operator: string) =>
  mutants.filter((mutant) => mutant.operator === operator).map(({ before, after }) => `${before} → ${after}`)

describe('mutants of a Python body', () => {
  const { mutants, possible } = mutantsOf(pythonBody, 'python', python)

  it('plants every kind of fault, once each, and never touches text', () => {
    expect(changes(mutants, 'operator')).toEqual(['and → or', '<= → <', '<= → >'])
    expect(changes(mutants, 'constant')).toEqual(['0 → 1', '0 → 1'])
    expect(changes(mutants, 'call')).toEqual(['sorted → list', 'max → min'])
    expect(changes(mutants, 'early_return')).toEqual(['best → None', 'best → 0', 'best → 1'])
    expect(changes(mutants, 'dropped_statement')).toContain('heapq.heappush(ends, end) → pass')
    expect(changes(mutants, 'swapped_order')).toContain('best, len(ends) → len(ends), best')
    expect(changes(mutants, 'condition')).toContain(
      'ends and ends[0] <= start → not (ends and ends[0] <= start)',
    )
    expect(changes(mutants, 'loop_once')).toEqual([' → \n            break', ' → \n        break'])
  })

  it('gives each a body of its own that differs from the reference in that place alone', () => {
    expect(new Set(mutants.map(({ body }) => body)).size).toBe(possible)
    const strict = mutants.find(({ before, after }) => before === '<=' && after === '<')
    expect(strict).toMatchObject({ line: 8, body: pythonBody.replace('<= start', '< start') })
    expect(mutants.filter(({ body }) => !body.includes('Größe: 1 < 2 stays as it is'))).toEqual([])
  })

  it('samples evenly where a limit is given, and says how many there were', () => {
    const few = mutantsOf(pythonBody, 'python', python, 5)
    expect([few.mutants.length, few.possible]).toEqual([5, possible])
    expect(few.mutants[0]).toEqual(mutants[0])
  })

  it('has none of a text that does not parse', () => {
    expect(mutantsOf('def (', 'python', python)).toEqual({ mutants: [], possible: 0 })
  })
})

describe('mutants of a Rust body', () => {
  const { mutants } = mutantsOf(rustBody, 'rust', rust)

  it('plants faults by the syntax of Rust', () => {
    expect(changes(mutants, 'operator')).toEqual([
      '.. → ..=',
      '> → >=',
      '> → <=',
      '&& → ||',
      '!= → ==',
      '+= → -=',
    ])
    expect(changes(mutants, 'bound')).toEqual(['limit → (limit + 1)', 'limit → (limit - 1)'])
    expect(changes(mutants, 'call')).toEqual(['max → min'])
    expect(changes(mutants, 'constant')).toEqual(['0 → 1', '0 → 1', '3 → 4', '3 → 2', '1 → 2', '1 → 0'])
    expect(mutants.every(({ body }) => body.startsWith('{') && body.endsWith('}'))).toBe(true)
  })
})
