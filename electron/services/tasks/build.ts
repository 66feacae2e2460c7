import { estimateMemory, type MemoryNeed } from '#shared/tasks/memory.ts'
import type { BuildReport } from '#shared/tasks/report.ts'
import { tokenHistogram } from '#shared/tasks/report.ts'
import type { Thresholds } from '#shared/tasks/rules.ts'
import type { Survey } from '#shared/tasks/survey.ts'
import { type Candidate, type Drop, selectCandidates } from './candidates.ts'
import { cargoSuiteFiles, type Draft } from './cargo-suite.ts'
import { corpusFiles } from './contamination/corpus-files.ts'
import { scanForBodies } from './contamination/scan.ts'
import { duplicatesIn } from './duplicates.ts'
import { openHistory } from './history.ts'
import { readModelShape } from './model-shape.ts'
import { addPrompts } from './prompts.ts'
import type { ProveDeps } from './prove.ts'
import { proveCalls, proveTasks } from './prove-cargo.ts'
import { previous, writeSuiteFolder } from './suite-files.ts'
import { surveyWorkspace } from './survey.ts'
import { openTokenCounter } from './tokens.ts'

export type BuildRequest = {
  repo: string
  commit: string
  manifest: string
  out: string
  name: string
  from: Survey['from'] | null
  corpus: string[]
  tests: 'included' | 'withheld'
  tokenizer: string | null
  /** For the memory estimate; null where there is none to be made. */
  model: { folder: string; boxBytes: number | null; need: Omit<MemoryNeed, 'promptTokens'> } | null
  limits: Thresholds
}

/**
 * From a repository at a commit to a suite folder. Rules are asked in the order of what they cost; each drop has its own reason, and a task is
 * kept only when every control of the grader holds on it as it is written.
 * @throws {AppError} `git_failed`, `cargo_missing`, `bad_input`, `bad_suite` (marks that contradict one another), `controls_failed` where nothing is left.
 */
export async function buildTasks(request: BuildRequest, deps: ProveDeps): Promise<BuildReport> {
  const { repo, limits } = request
  await previous(request.out)
  // Before anything is built: a wrong path is told at once.
  if (request.corpus.length > 0) await corpusFiles(request.corpus)
  const counter = await openTokenCounter(request.tokenizer)
  const shape = request.model && (await readModelShape(request.model.folder))
  const survey = await surveyWorkspace({ ...request, ...deps })
  const { commit } = survey
  const history = await openHistory(repo, commit)
  const dropped: Drop[] = []
  const keep = <T>(result: { dropped: Drop[] } & T): T => {
    dropped.push(...result.dropped)
    return result
  }
  const { candidates } = keep(await selectCandidates(survey, history, limits))
  const { unique } = keep(duplicatesIn(survey, candidates))
  const corpus = await scanForBodies(unique, request.corpus, {
    ...(deps.signal && { signal: deps.signal }),
    onProgress: (bytes, of) => deps.onProgress?.('corpus', bytes, of),
  })
  const clean = unique.filter(({ id }) => !corpus?.findings.some(({ task }) => task === id))
  dropped.push(...contaminated(unique, corpus?.findings ?? []))
  const { prompted, ...over } = keep(addPrompts(survey, clean, { tests: request.tests, counter, limits }))
  const draft: Draft = { survey, tasks: prompted }
  const called = keep(await proveCalls(draft, request, deps))
  const proven = keep(await proveTasks({ survey, tasks: called.tasks }, request, deps))
  const report: BuildReport = {
    source: { kind: 'repository', commit, manifest: request.manifest, from: survey.from },
    found: survey.functions.length,
    kept: proven.tasks.length,
    dropped,
    thresholds: limits,
    crates: survey.crates,
    tests: request.tests,
    tokens: {
      by: counter.by,
      exact: counter.exact,
      cap: limits.promptTokens,
      histogram: tokenHistogram(over.counts, limits.promptTokens),
      longest: over.counts.length === 0 ? null : Math.max(...over.counts),
    },
    corpus,
    memory: null,
    controls: proven.controls,
    notes: notesOf(survey, candidates),
  }
  const promptTokens = Math.max(0, ...proven.tasks.map((task) => task.promptTokens))
  if (shape && request.model)
    report.memory = estimateMemory(shape, { ...request.model.need, promptTokens }, request.model.boxBytes)
  if (proven.tasks.length === 0) return report
  const files = cargoSuiteFiles({ survey, tasks: proven.tasks })
  files.set('build.json', `${JSON.stringify(report, null, 2)}\n`)
  await writeSuiteFolder(
    request.out,
    {
      name: request.name,
      grader: 'cargo',
      language: 'rust',
      description: `${proven.tasks.length} held-out functions at ${commit.slice(0, 12)}.`,
    },
    files,
  )
  return report
}

function contaminated(
  tasks: readonly Candidate[],
  findings: { task: string; file: string; line: number }[],
): Drop[] {
  return tasks.flatMap(({ id }): Drop[] => {
    const own = findings.filter(({ task }) => task === id)
    const [first] = own
    if (!first) return []
    const more = own.length > 1 ? ` and ${own.length - 1} more places` : ''
    return [{ task: id, reason: 'contaminated', detail: `${first.file}, line ${first.line}${more}` }]
  })
}

function notesOf(survey: Survey, candidates: readonly Candidate[]): string[] {
  const unknown = candidates.filter(({ commits }) => commits === null).length
  return [
    ...(survey.from === 'candidates'
      ? ['The repository has no marks: every function that a test calls was taken for a candidate.']
      : []),
    ...(unknown > 0
      ? [`Of ${unknown} functions the history is not known: the churn rule was not asked.`]
      : []),
  ]
}
