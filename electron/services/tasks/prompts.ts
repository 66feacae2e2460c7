import { promptOf } from '#shared/tasks/prompt.ts'
import type { Thresholds } from '#shared/tasks/rules.ts'
import type { Span, Survey, SurveyedFunction } from '#shared/tasks/survey.ts'
import type { Candidate, Drop } from './candidates.ts'
import type { TokenCounter } from './tokens.ts'

export type PromptChoice = { tests: 'included' | 'withheld'; counter: TokenCounter; limits: Thresholds }
export type Prompted = Candidate & { prompt: string; promptTokens: number }

/** A prompt for each candidate; one longer than the cap drops its task, and says by how much. */
export function addPrompts(
  survey: Survey,
  candidates: readonly Candidate[],
  choice: PromptChoice,
): { prompted: Prompted[]; dropped: Drop[]; counts: number[] } {
  const counts: number[] = []
  const prompted: Prompted[] = []
  const dropped: Drop[] = []
  for (const item of candidates) {
    const prompt = promptFor(survey, item, candidates, choice)
    const promptTokens = choice.counter.count(prompt)
    counts.push(promptTokens)
    const cap = choice.limits.promptTokens
    if (promptTokens <= cap) prompted.push({ ...item, prompt, promptTokens })
    else
      dropped.push({
        task: item.id,
        reason: 'prompt_too_long',
        detail: `${promptTokens} tokens by ${choice.counter.by}, the cap is ${cap}`,
      })
  }
  return { prompted, dropped, counts }
}

/** Bodies of a file that are held out, each with its braces. */
export const heldOutSpans = (file: string, items: readonly SurveyedFunction[]): Span[] =>
  items
    .filter((item) => item.file === file)
    .map(({ bodyStart, bodyEnd }) => ({ start: bodyStart, end: bodyEnd }))

function promptFor(
  survey: Survey,
  item: Candidate,
  heldOut: readonly Candidate[],
  { tests, limits }: PromptChoice,
): string {
  const facts = survey.files[item.file]
  const hidden = heldOutSpans(item.file, heldOut)
  if (tests === 'withheld') hidden.push(...(facts?.testSpans ?? []), ...(facts?.tests ?? []))
  return promptOf(
    { ...item, text: facts?.text ?? '' },
    {
      contextLines: limits.contextLines,
      hidden,
      tests: tests === 'included' ? testTexts(survey, item) : [],
    },
  )
}

/** Of the tests that stand in a source as functions; a macro's test has no text of its own. */
function testTexts(survey: Survey, item: Candidate): string[] {
  const wanted = new Set(item.tests.map((test) => test.name))
  return Object.values(survey.files).flatMap(({ text, tests }) =>
    tests
      .filter(({ name }) => wanted.has(name))
      .map(({ name, start, end }) => `fn ${name.split('::').at(-1)}() ${text.slice(start, end)}`),
  )
}
