import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Case, SuiteManifest, Task } from '#shared/domain/suite.ts'
import { suiteDigestInput } from '#shared/domain/suite-digest.ts'
import { composeSuites, type SuiteName, suiteNames } from './compose.ts'
import { renderSuite } from './render.ts'
import { type Booking, inclusiveOracle, inputOrderTies, requiredCapacity, touches } from './solvers.ts'

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')

function frozenFiles(name: SuiteName): Map<string, string> {
  const folder = join(import.meta.dirname, name)
  const paths = (readdirSync(folder, { recursive: true }) as string[]).filter((path) =>
    statSync(join(folder, path)).isFile(),
  )
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}

const frozenCases = (name: SuiteName): Case[] =>
  (frozenFiles(name).get('cases/required-capacity.jsonl') ?? '')
    .trimEnd()
    .split('\n')
    .map((line) => Case.parse(JSON.parse(line)))

const bookingsOf = (one: Case): Booking[] => (JSON.parse(one.input) as [Booking[]])[0]

/** Passed cases by suite for each body, run bare: these four are our own. */
function pythonScores(): Record<string, Record<SuiteName, number>> {
  const harness = `
import importlib.util, json, sys
bodies, suites = json.load(sys.stdin)
out = {}
for body in bodies:
    spec = importlib.util.spec_from_file_location("body", body["path"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    out[body["name"]] = {name: sum(json.dumps(module.required_capacity(*json.loads(c["input"]))) == c["expected"] for c in cases) for name, cases in suites.items()}
print(json.dumps(out))`
  const folder = join(import.meta.dirname, 'bodies')
  const bodies = readdirSync(folder)
    .filter((file) => file.endsWith('.py'))
    .map((file) => ({ name: file, path: join(folder, file) }))
  const suites = Object.fromEntries(suiteNames.map((name) => [name, frozenCases(name)]))
  const python = process.env.RINGSIDE_PYTHON ?? 'python3'
  const input = JSON.stringify([bodies, suites])
  return JSON.parse(execFileSync(python, ['-I', '-S', '-B', '-c', harness], { input, encoding: 'utf8' }))
}

test('the generator writes exactly the frozen folders', () => {
  const suites = composeSuites()
  for (const name of suiteNames)
    expect(Object.fromEntries(renderSuite(name, suites[name]))).toEqual(Object.fromEntries(frozenFiles(name)))
})

test('the manifests name their content, and all suites ask the same task', () => {
  const tasks = suiteNames.map((name) => {
    const files = frozenFiles(name)
    const manifest = SuiteManifest.parse(JSON.parse(files.get('suite.json') ?? ''))
    const digest = suiteDigestInput([...files].map(([path, text]) => ({ path, sha256: sha256(text) })))
    expect([manifest.name, manifest.sha256]).toEqual([`booking-${name}`, sha256(digest)])
    const task = Task.parse(JSON.parse(files.get('tasks.jsonl') ?? ''))
    expect(task.referenceSha256).toBe(sha256(files.get(task.reference ?? '') ?? ''))
    return files.get('tasks.jsonl')
  })
  expect(new Set(tasks).size).toBe(1)
})

test('counts, families and distinct inputs are those of the published study', () => {
  const counts = Object.fromEntries(
    suiteNames.map((name) => {
      const cases = frozenCases(name)
      const families: Record<string, number> = {}
      for (const one of cases) families[one.family] = (families[one.family] ?? 0) + 1
      return [name, { cases: cases.length, ...families }]
    }),
  )
  expect(counts).toEqual({
    reference: { cases: 96, empty: 1, ordinary: 44, duplicate: 12, boundary: 39 },
    weak: { cases: 57, empty: 1, ordinary: 44, duplicate: 12 },
    repaired: { cases: 57, empty: 1, ordinary: 36, duplicate: 12, boundary: 8 },
    audit: { cases: 192, empty: 1, ordinary: 72, duplicate: 24, boundary: 95 },
  })
  const [reference, weak, repaired, audit] = suiteNames.map(frozenCases) as [Case[], Case[], Case[], Case[]]
  const inputs = (cases: Case[]) => cases.map((one) => one.input)
  expect(new Set(inputs([...reference, ...audit])).size).toBe(287)
  expect(inputs(audit).filter((input) => inputs(reference).includes(input))).toEqual(['[[]]'])
  expect(weak).toEqual(reference.filter((one) => !touches(bookingsOf(one))))
  expect(repaired.filter((one) => !reference.some((other) => other.id === one.id))).toEqual([])
})

test('every case is of the family it names and wants what a half-open count gives', () => {
  for (const one of [...frozenCases('reference'), ...frozenCases('audit')]) {
    const bookings = bookingsOf(one)
    const repeats = new Set(bookings.map((booking) => booking.join())).size < bookings.length
    expect({
      id: one.id,
      expected: one.expected,
      touches: touches(bookings),
      empty: bookings.length === 0,
      ordered: bookings.every(([start, end]) => start < end),
      repeats: one.family === 'duplicate' ? repeats : null,
    }).toEqual({
      id: one.id,
      expected: String(requiredCapacity(bookings)),
      touches: one.family === 'boundary',
      empty: one.family === 'empty',
      ordered: true,
      repeats: one.family === 'duplicate' ? true : null,
    })
  }
})

test('weak accepts both known mechanisms in full; reference, repaired and audit reject both', () => {
  expect(pythonScores()).toEqual({
    'right.py': { reference: 96, weak: 57, repaired: 57, audit: 192 },
    'inclusive-oracle.py': { reference: 66, weak: 57, repaired: 49, audit: 122 },
    'strict-expiry.py': { reference: 66, weak: 57, repaired: 49, audit: 122 },
    'input-order-ties.py': { reference: 73, weak: 57, repaired: 49, audit: 148 },
  })
})

test('the two mechanisms fail the audit differently, each with a witness of two bookings', () => {
  const audit = frozenCases('audit')
  const failing = (solve: (bookings: Booking[]) => number) =>
    audit.filter((one) => String(solve(bookingsOf(one))) !== one.expected)
  const inclusive = failing(inclusiveOracle)
  const ties = failing(inputOrderTies)
  const ids = (cases: Case[]) => cases.map((one) => one.id)
  const smallest = (cases: Case[]) => Math.min(...cases.map((one) => bookingsOf(one).length))
  expect([smallest(inclusive), smallest(ties)]).toEqual([2, 2])
  expect(ids(ties)).not.toEqual(ids(inclusive))
  expect(ids(ties).filter((id) => !ids(inclusive).includes(id))).toEqual([])
})

test('the published witnesses tell the mechanisms from the right answer', () => {
  const solve = (bookings: Booking[]) =>
    [requiredCapacity, inclusiveOracle, inputOrderTies].map((f) => f(bookings))
  const first: Booking[] = [
    [3664, 3670],
    [3670, 3676],
  ]
  const second: Booking[] = [
    [5444, 5476],
    [5420, 5444],
  ]
  expect([solve(first), solve(second)]).toEqual([
    [1, 2, 1],
    [1, 2, 2],
  ])
})
