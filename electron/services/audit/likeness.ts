import { readdir, readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import type { Grade } from '#shared/domain/grade.ts'
import { mutantsOf } from '#shared/mutation/mutants.ts'
import type { Suite } from '../runs/suites.ts'
import { loadParser } from '../syntax/parser.ts'
import { gradeAll, withOwnVerifier } from '../verifier/grade-all.ts'
import type { AskOptions } from './answers.ts'
import { referenceOf } from './witness.ts'

/** A body whose mistake is known, in words, with the audit's grade of it. */
export type Known = { words: string; grade: Grade }

/** Mutants compared with: enough for the single slips, few enough to be graded in seconds. */
const mutantLimit = 64

/**
 * Bodies of which it is known how they are wrong, graded by the audit: those in the `bodies` folder of a suites folder, and the reference with
 * one slip in it.
 */
export async function knownBodies(options: AskOptions, task: string, folders: string[]): Promise<Known[]> {
  const bodies = new Map<string, string>()
  for (const folder of folders)
    for (const [words, body] of await namedBodies(options.suite, folder)) bodies.set(words, body)
  for (const [words, body] of await slips(options.suite, task)) bodies.set(words, body)
  if (bodies.size === 0) return []
  const { suite, ...rest } = options
  const own = { ...rest, suite: suite.path, workers: 2, purpose: 'audit verifier', background: true }
  const items = [...bodies].map(([words, body]) => ({ id: words, task, body }))
  const grades = await withOwnVerifier(own, (verifier) => gradeAll(verifier, items))
  return [...grades].map(([words, grade]) => ({ words, grade }))
}

/** The known bodies that answer every audit case as `grade` says the mechanism does. */
export const alike = (grade: Grade, known: readonly Known[]): string[] =>
  known.filter((one) => answersOf(one.grade) === answersOf(grade)).map((one) => one.words)

function answersOf(grade: Grade): string {
  const answers = grade.tests.map((test) => [test.name, test.outcome, test.observed ?? null])
  return JSON.stringify(answers.sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)))
}

/** `bodies/<name>.<ext>`: a suites folder with them holds suites of one task. */
async function namedBodies(suite: Suite, folder: string): Promise<[string, string][]> {
  const extension = suite.manifest.language === 'rust' ? '.rs' : '.py'
  const names = await readdir(join(folder, 'bodies')).catch(() => [])
  if (suite.tasks.length !== 1) return []
  return Promise.all(
    names
      .filter((name) => extname(name) === extension)
      .sort()
      .map(
        async (name): Promise<[string, string]> => [
          basename(name, extension).replaceAll('-', ' '),
          await readFile(join(folder, 'bodies', name), 'utf8'),
        ],
      ),
  )
}

async function slips(suite: Suite, task: string): Promise<[string, string][]> {
  const { language } = suite.manifest
  if (language !== 'python' && language !== 'rust') return []
  // Without a parser there is less to compare with; the witness does not depend on it.
  const parse = await loadParser(language).catch(() => null)
  if (parse === null) return []
  const { mutants } = mutantsOf(await referenceOf(suite, task), language, parse, mutantLimit)
  return mutants.map(({ before, after, line, body }) => [
    `the reference with ${short(after)} for ${short(before)} in line ${line}`,
    body,
  ])
}

const short = (text: string) => {
  const flat = text.replace(/\s+/g, ' ').trim()
  return flat === '' ? 'nothing' : `\`${flat.length > 30 ? `${flat.slice(0, 29)}…` : flat}\``
}
