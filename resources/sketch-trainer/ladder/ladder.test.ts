import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Random } from '#shared/grpo/random.ts'
import { allLogProbs, drawSketch, initialParameters } from '../policy/policy.ts'
import { isRight, ladderSketch, passChance } from '../program/ladder.ts'
import { type Part, rungs, waysOf } from './parts.ts'
import { ladderCases, ladderSuite } from './suite.ts'

test('the frozen suite is what the code writes', () => {
  const folder = join(import.meta.dirname, '../../demo/ladder')
  const paths = (readdirSync(folder, { recursive: true }) as string[]).filter((path) =>
    statSync(join(folder, path)).isFile(),
  )
  const frozen = Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
  expect(frozen).toEqual(Object.fromEntries(ladderSuite()))
})

test('each way is computed here as in Python, and every slip is wrong on every case', () => {
  const cases = Object.entries(rungs).flatMap(([name, wanted]) =>
    ladderCases(name, wanted).map((one) => ({ wanted, values: (JSON.parse(one.input) as [number[]])[0] })),
  )
  const asked = cases.flatMap(({ wanted, values }) =>
    wanted.map((part) => ({ values, ways: waysOf(part).map(([, { python }]) => python) })),
  )
  const harness =
    'import json, sys\nprint(json.dumps([[eval(way, {}, {"values": one["values"]}) for way in one["ways"]] for one in json.load(sys.stdin)]))'
  const python = process.env.RINGSIDE_PYTHON ?? 'python3'
  const said = JSON.parse(
    execFileSync(python, ['-I', '-S', '-B', '-c', harness], {
      input: JSON.stringify(asked),
      encoding: 'utf8',
    }),
  ) as unknown[][]
  const here = cases.flatMap(({ wanted, values }) =>
    wanted.map((part: Part) => waysOf(part).map(([, { value }]) => value(values))),
  )
  expect(said).toEqual(here)
  for (const answers of said) {
    const [right, ...slips] = answers.map((answer) => JSON.stringify(answer))
    expect(slips).not.toContain(right)
  }
})

test('the chance of a pass is that of the draws, from nearly always to never', () => {
  const draws = 4000
  const rates = Object.keys(rungs).map((name) => {
    const sketch = ladderSketch(name)
    if (!sketch) throw new Error(`no sketch for ${name}`)
    const logProbs = allLogProbs(initialParameters(sketch.holes))
    const random = Random.of('ladder', name)
    const passes = Array.from({ length: draws }, () =>
      isRight(name, drawSketch(sketch, logProbs, random).picks),
    ).filter(Boolean).length
    const chance = passChance(name, logProbs)
    // Four standard errors.
    expect(Math.abs(passes / draws - chance)).toBeLessThan(
      4 * Math.sqrt((chance * (1 - chance)) / draws) + 1e-3,
    )
    return chance
  })
  expect(rates.map((rate) => rate.toFixed(3))).toEqual([
    '0.776',
    '0.760',
    '0.737',
    '0.440',
    '0.380',
    '0.220',
    '0.200',
    '0.110',
    '0.056',
    '0.030',
    '0.008',
    '0.000',
  ])
})
