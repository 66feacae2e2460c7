import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import { type Insertion, insertionDiff, insertLines } from '#shared/tasks/insertions.ts'
import type { Thresholds } from '#shared/tasks/rules.ts'
import type { Survey, SurveyedFunction } from '#shared/tasks/survey.ts'
import { type Candidate, type Drop, selectCandidates } from './candidates.ts'
import { duplicatesIn } from './duplicates.ts'
import { openHistory } from './history.ts'
import type { ProveDeps } from './prove.ts'
import { surveyWorkspace } from './survey.ts'

export type MarkRequest = {
  repo: string
  commit: string
  manifest: string
  limits: Thresholds
  write: boolean
}

export type MarkReport = {
  found: number
  proposed: { task: string; function: string; file: string; line: number; tests: string[] }[]
  dropped: Drop[]
  /** What the marks change, as a unified diff; empty where there is nothing to mark. */
  diff: string
  written: boolean
}

/**
 * Proposes functions to hold out, by every rule that needs no grading, and shows what their marks would change. Writes them only on request,
 * and only into a work tree whose files are as the commit has them.
 * @throws {AppError} what the survey says; `bad_input` where a file to be marked differs from the commit.
 */
export async function markTasks(request: MarkRequest, deps: ProveDeps): Promise<MarkReport> {
  const { repo, limits, write } = request
  const survey = await surveyWorkspace({ ...request, ...deps, from: 'candidates' })
  const history = await openHistory(repo, survey.commit)
  const selected = await selectCandidates(survey, history, limits)
  const { unique, dropped } = duplicatesIn(survey, selected.candidates)
  const unmarked = unique.filter((item) => !isMarked(survey, item))
  const chosen = unmarked.filter((item) => writtenTests(survey, item).length > 0)
  const insertions = marksFor(survey, chosen)
  const diff = [...insertions]
    .map(([file, lines]) => insertionDiff(file, textOf(survey, file), lines))
    .join('')
  if (write) await writeMarks(repo, survey, insertions)
  return {
    found: survey.functions.length,
    proposed: chosen.map((item) => ({
      task: item.id,
      function: item.path,
      file: item.file,
      line: item.line,
      tests: writtenTests(survey, item).map(({ name }) => name),
    })),
    dropped: [
      ...selected.dropped,
      ...dropped,
      ...unmarked
        .filter((item) => !chosen.includes(item))
        .map(
          ({ id }): Drop => ({
            task: id,
            reason: 'no_test_calls_it',
            detail: 'every test that does is made by a macro and cannot be marked',
          }),
        ),
    ],
    diff,
    written: write && insertions.size > 0,
  }
}

const textOf = (survey: Survey, file: string): string => survey.files[file]?.text ?? ''

const isMarked = (survey: Survey, { file, start }: SurveyedFunction): boolean =>
  /\/\/ ringside:hold-out [^\n]*\n(?:[ \t]*(?:\/\/|#\[)[^\n]*\n)*[ \t]*$/.test(
    textOf(survey, file).slice(0, start),
  )

type WrittenTest = { file: string; name: string; at: number }

/** Of the tests that call it, those that stand as functions in a source. */
function writtenTests(survey: Survey, item: Candidate): WrittenTest[] {
  const wanted = item.callers.map((test) => test.name)
  return Object.entries(survey.files).flatMap(([file, { tests }]) =>
    tests.filter(({ name }) => wanted.includes(name)).map(({ name, at }) => ({ file, name, at })),
  )
}

/** One line a function, and one a test however many functions it is for. */
function marksFor(survey: Survey, chosen: readonly Candidate[]): Map<string, Insertion[]> {
  const lines = new Map<string, Map<number, { kind: string; ids: string[] }>>()
  const add = (file: string, at: number, kind: string, id: string) => {
    const own = lines.get(file) ?? new Map<number, { kind: string; ids: string[] }>()
    lines.set(file, own)
    const line = own.get(at) ?? { kind, ids: [] }
    own.set(at, line)
    line.ids.push(id)
  }
  for (const item of chosen) {
    add(item.file, item.start, 'hold-out', item.id)
    for (const { file, at } of writtenTests(survey, item)) add(file, at, 'test', item.id)
  }
  return new Map(
    [...lines].map(([file, own]) => [
      file,
      [...own].map(([at, { kind, ids }]) => ({ at, text: `// ringside:${kind} ${ids.join(' ')}` })),
    ]),
  )
}

async function writeMarks(repo: string, survey: Survey, insertions: Map<string, Insertion[]>): Promise<void> {
  for (const file of insertions.keys()) {
    const there = await readFile(join(repo, file), 'utf8').catch(() => null)
    if (there !== textOf(survey, file))
      throw new AppError(
        'bad_input',
        `${join(repo, file)} is not as the commit has it; nothing was written.`,
        {
          hint: 'Check that commit out in a work tree without changes, then mark again.',
        },
      )
  }
  for (const [file, lines] of insertions)
    await writeFile(join(repo, file), insertLines(textOf(survey, file), lines))
}
