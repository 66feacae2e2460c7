import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { Random } from '#shared/grpo/random.ts'
import { allLogProbs, initialParameters, writeSketch } from '../policy/policy.ts'
import { allPrograms, type KnownProgram } from '../testing/enumerate.ts'
import { score } from '../testing/score.ts'
import { bookingSuite } from '../testing/suites.ts'
import { booking } from './booking.ts'
import { namePool } from './style.ts'

const suiteNames = ['reference', 'weak', 'repaired', 'audit'] as const
const suites = Object.fromEntries(suiteNames.map((name) => [name, bookingSuite(name).cases]))
const cases = [...(suites.reference ?? []), ...(suites.audit ?? [])]

/** One program of each meaning, names and docstrings varying over them. */
function distinctFunctions(): KnownProgram[] {
  const byMeaning = new Map<string, KnownProgram[]>()
  for (const program of allPrograms().values()) {
    if (program.choices.reply !== 'function') continue
    const key = JSON.stringify(program.choices)
    byMeaning.set(key, [...(byMeaning.get(key) ?? []), program])
  }
  return [...byMeaning.values()].map((same, i) => same[i % same.length] as KnownProgram)
}

test('the simulation answers every case as the Python that is written does', () => {
  const programs = distinctFunctions()
  const harness = `
import json, sys
bodies, inputs = json.load(sys.stdin)
out = []
for body in bodies:
    scope = {}
    exec(body, scope)
    out.append([json.dumps(scope["required_capacity"](*json.loads(text))) for text in inputs])
print(json.dumps(out))`
  const answers: string[][] = JSON.parse(
    execFileSync(process.env.RINGSIDE_PYTHON ?? 'python3', ['-I', '-S', '-B', '-c', harness], {
      input: JSON.stringify([programs.map(({ body }) => body), cases.map((one) => one.input)]),
      encoding: 'utf8',
    }),
  )
  const wrong = programs.filter(({ choices, variant }, i) => {
    const simulated = score({ ...choices, fence: 'python' }, variant, cases).outcomes
    return !cases.every((one, at) => (answers[i]?.[at] === one.expected) === simulated[at])
  })
  expect({ programs: programs.length, wrong: wrong.map(({ choices }) => choices) }).toEqual({
    programs: 198,
    wrong: [],
  })
})

test('the weak suite falsely accepts the two known mechanisms and nothing else; the others accept right programs only', () => {
  const falsely = Object.fromEntries(
    suiteNames.map((name) => {
      const accepted = distinctFunctions().filter(({ choices }) => {
        const filled = { ...choices, fence: 'python' } as const
        return (
          score(filled, 0, suites[name] ?? []).status === 'passed' &&
          score(filled, 0, suites.audit ?? []).status !== 'passed'
        )
      })
      return [
        name,
        accepted.map(({ choices: { method, expiry, ties } }) => `${method} ${expiry ?? ties}`).sort(),
      ]
    }),
  )
  expect(falsely).toEqual({
    reference: [],
    weak: ['heap holds', 'points holds', 'sweep arrivals', 'sweep input'],
    repaired: [],
    audit: [],
  })
})

test('drawing is deterministic, varied, and keeps the number of programs moderate', () => {
  const draw = () => {
    const random = Random.of(1, 'variety')
    const logProbs = allLogProbs(initialParameters(booking.holes))
    return Array.from({ length: 1000 }, () => writeSketch(booking, logProbs, random))
  }
  const completions = draw()
  expect(draw()).toEqual(completions)
  const texts = completions.map(({ text }) => text)
  const shapes = [
    /^```python$/m,
    /^```py$/m,
    /^```$/m,
    /^~~~python$/m,
    /^```text$/m,
    /os\._exit/,
    /while True/,
  ]
  expect(shapes.map((shape) => texts.some((text) => shape.test(text)))).toEqual(shapes.map(() => true))
  expect(completions.some(({ truncated }) => truncated)).toBe(true)
  for (const { moment } of namePool)
    expect(texts.some((text) => text.includes(`for ${moment}, _ in`))).toBe(true)
  expect(allPrograms().size).toBe(198 * 6 + 12)
})
