import { dialects, type Language } from './dialect.ts'
import { editsOf, type MutationOperator } from './operators.ts'
import type { SyntaxNode } from './syntax.ts'

/** A reference body with exactly one planted fault. */
export type Mutant = {
  /** Stable for the same reference: operator, place and replacement. */
  id: string
  operator: MutationOperator
  /** From 1, in the reference. */
  line: number
  before: string
  after: string
  body: string
}

/**
 * All mutants of `source`, each different from it and from the others.
 *
 * @param parse gives the syntax tree of a text, or null where it does not parse; a mutant that does not parse is left out, since a suite
 * rejects it without any test. @param limit keeps an even sample of that many, in order, where there are more; the caller states it.
 */
export function mutantsOf(
  source: string,
  language: Language,
  parse: (text: string) => SyntaxNode | null,
  limit = Number.POSITIVE_INFINITY,
): { mutants: Mutant[]; possible: number } {
  const root = parse(source)
  if (!root) return { mutants: [], possible: 0 }
  const seen = new Set([source])
  const mutants: Mutant[] = []
  for (const edit of editsOf(root, source, dialects[language])) {
    const body = source.slice(0, edit.start) + edit.text + source.slice(edit.end)
    if (seen.has(body) || !parse(body)) continue
    seen.add(body)
    mutants.push({
      id: `${edit.operator}:${edit.start}-${edit.end}:${edit.text}`,
      operator: edit.operator,
      line: edit.node.startPosition.row + 1,
      before: source.slice(edit.start, edit.end),
      after: edit.text,
      body,
    })
  }
  return { mutants: sample(mutants, limit), possible: mutants.length }
}

/** `limit` items spread evenly over the list. */
function sample<T>(items: T[], limit: number): T[] {
  if (items.length <= limit) return items
  return Array.from({ length: limit }, (_, i) => items[Math.floor((i * items.length) / limit)]).filter(
    (item) => item !== undefined,
  )
}
