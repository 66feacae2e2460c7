import { logicLines } from '#shared/tasks/logic-lines.ts'
import type { Dropped, DropReason, Thresholds } from '#shared/tasks/rules.ts'
import type { Survey, SurveyedFunction } from '#shared/tasks/survey.ts'
import type { History } from './history.ts'

/** A function that holds every rule that can be seen without running anything. */
export type Candidate = SurveyedFunction & {
  body: string
  logicLines: number
  /** Null where the history is not known. */
  commits: number | null
  line: number
}

export type Drop = Dropped<DropReason>

/** Applies the rules in the order of what they cost; the first that does not hold is the reason. */
export async function selectCandidates(
  survey: Survey,
  history: History,
  limits: Thresholds,
): Promise<{ candidates: Candidate[]; dropped: Drop[] }> {
  const candidates: Candidate[] = []
  const dropped: Drop[] = []
  for (const found of survey.functions) {
    const item = { ...found, callers: callersOf(found) }
    const text = survey.files[item.file]?.text ?? ''
    const body = text.slice(item.bodyStart, item.bodyEnd)
    const lines = logicLines(body)
    const drop = (reason: DropReason, detail: string) => dropped.push({ task: item.id, reason, detail })
    const broken = survey.crates.find((crate) => crate.name === item.crate)?.broken ?? null
    if (broken !== null) drop('crate_does_not_build', broken)
    else if (item.samePath > 1)
      drop('ambiguous_function', `${item.samePath} functions ${item.path} in ${item.file}`)
    else if (item.callers.length === 0) drop('no_test_calls_it', noCaller(item))
    else if (lines < limits.logicLines) drop('short_body', `${lines} of ${limits.logicLines} lines`)
    else {
      const first = lineAt(text, item.bodyStart)
      const commits = await history.commitsOf(item.file, first, lineAt(text, item.bodyEnd - 1))
      if (commits !== null && commits > limits.commits)
        drop('high_churn', `${commits} commits changed it, ${limits.commits} are allowed`)
      else candidates.push({ ...item, body, logicLines: lines, commits, line: lineAt(text, item.start) })
    }
  }
  return { candidates, dropped }
}

/**
 * What implements a trait is mostly called without its name: by an operator, a loop, `parse`. There the mark says which tests call it, and the
 * grader shows afterwards whether they do.
 */
const callersOf = ({ callers, marked, path, tests }: SurveyedFunction) =>
  callers.length === 0 && marked && path.includes(' as ') ? tests : callers

const noCaller = ({ path, marked, tests }: SurveyedFunction) =>
  marked ? `none of its ${tests.length} marked tests calls ${path}` : `no test names ${path}`

function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1
  return line
}
