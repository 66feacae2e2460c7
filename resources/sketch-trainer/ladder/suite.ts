import { createHash } from 'node:crypto'
import type { Case, SuiteManifest } from '#shared/domain/suite.ts'
import { suiteDigestInput } from '#shared/domain/suite-digest.ts'
import { Random } from '#shared/grpo/random.ts'
import { ladderBody } from '../program/ladder.ts'
import { type Part, rungs, taskId, waysOf } from './parts.ts'

const casesEach = 8
/** A change of it is a new version of the suite. */
const seed = 20_261_129

const meanings: Record<Part, string> = {
  copy: 'the values as they are',
  first: 'the first value',
  count: 'how many values there are',
  total: 'their sum',
  smallest: 'the smallest',
  largest: 'the largest',
  spread: 'the largest less the smallest',
  middle: 'the upper median',
  rises: 'how often a value is greater than the one before it',
  evens: 'how many are even',
  last: 'the last value',
  repeats: 'how many values repeat an earlier one',
}

/** Every file of the ladder's suite folder by its relative path, as the bytes to be written (UTF-8). */
export function ladderSuite(): Map<string, string> {
  const files = new Map<string, string>()
  const tasks = Object.entries(rungs).map(([name, wanted]) => {
    const id = taskId(name)
    const reference = ladderBody(name, wanted)
    files.set(`cases/${id}.jsonl`, lines(ladderCases(name, wanted)))
    files.set(`reference/${id}.py`, reference)
    return {
      id,
      prompt: prompt(name, wanted),
      signature: `def ${name}(values):`,
      function: name,
      reference: `reference/${id}.py`,
      referenceSha256: sha256(reference),
    }
  })
  files.set('tasks.jsonl', lines(tasks))
  const digest = suiteDigestInput([...files].map(([path, text]) => ({ path, sha256: sha256(text) })))
  const manifest: SuiteManifest = {
    name: 'ladder',
    grader: 'python-function',
    version: '1',
    sha256: sha256(digest),
    language: 'python',
    description:
      'Twelve small functions, from one that the untrained embedded policy nearly always writes to one that it never does: for runs that choose among tasks.',
  }
  return files.set('suite.json', `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Lists on which every slip in a part that the task wants shows, so that a program with one passes no case. */
export function ladderCases(name: string, wanted: readonly Part[]): Case[] {
  const random = Random.of(seed, name)
  const seen = new Set<string>()
  const cases: Case[] = []
  while (cases.length < casesEach) {
    const values = Array.from({ length: random.integer(6, 11) }, () => random.integer(-4, 9))
    const input = JSON.stringify([values])
    if (seen.has(input) || !wanted.every((part) => tellsApart(part, values))) continue
    seen.add(input)
    const expected = JSON.stringify(wanted.map((part) => waysOf(part)[0]?.[1].value(values)))
    cases.push({ id: `case-${cases.length + 1}`, family: 'list', input, expected })
  }
  return cases
}

function tellsApart(part: Part, values: readonly number[]): boolean {
  const [right, ...slips] = waysOf(part).map(([, { value }]) => JSON.stringify(value(values)))
  return slips.every((slip) => slip !== right)
}

function prompt(name: string, wanted: readonly Part[]): string {
  const parts = wanted.map((part) => meanings[part]).join('; ')
  return `Write a Python function \`${name}(values)\`.\n\n\`values\` is a list of at least two integers. Return a list with, in this order: ${parts}.\n\nAnswer with exactly one fenced Python block that holds the complete function.`
}

const lines = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
