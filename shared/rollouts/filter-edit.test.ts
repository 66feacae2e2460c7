import { describe, expect, it } from 'vitest'
import { filterFault, suggest } from './filter-edit.ts'

const texts = (line: string, caret = line.length, known = {}) =>
  suggest(line, caret, known).map((suggestion) => suggestion.text)

describe('filterFault', () => {
  it('points at the term at fault and says what would be allowed', () => {
    const line = 'status:passed reward<x step=3'
    const fault = filterFault(line)
    expect(
      fault && { code: fault.code, at: line.slice(fault.from, fault.to), message: fault.message },
    ).toEqual({
      code: 'bad_filter',
      at: 'reward<x',
      message: 'reward<x: x is no number.',
    })
  })

  it('finds an unclosed quote', () => {
    const line = 'task:x "heap'
    const fault = filterFault(line)
    expect(fault && line.slice(fault.from, fault.to)).toBe('"heap')
  })

  it('has nothing to say of a line that parses', () => {
    expect(filterFault('status:passed,timed_out -is:silent reward>=0.5 "heap pop" audit:null')).toBeNull()
  })
})

describe('suggest', () => {
  it('completes fields, keeping a negation', () => {
    expect(texts('sta')).toEqual(['status:'])
    expect(texts('-re')).toEqual(['-reward<', '-reason:', '-is:false_rejection'])
  })

  it('completes values, also the last of a list, and never one twice', () => {
    expect(texts('status:passed,tim')).toEqual(['status:passed,timed_out'])
    expect(texts('status:passed,')).not.toContain('status:passed,passed')
    expect(texts('is:false')).toEqual(['is:false_acceptance', 'is:false_rejection'])
    expect(texts('task:cap', 8, { task: ['required-capacity', 'capacity'] })).toEqual([
      'task:capacity',
      'task:required-capacity',
    ])
  })

  it('replaces the term under the caret and no other', () => {
    const line = 'step=3 pol task:x'
    expect(suggest(line, 10)[0]).toMatchObject({ text: 'policy:', from: 7, to: 10, open: true })
  })

  it('offers what a number may also be', () => {
    expect(texts('audit:')).toEqual(['audit:null'])
  })
})
