import type { Span } from './survey.ts'

export type PromptSource = {
  crate: string
  file: string
  text: string
  /** Of the function that is asked for. */
  path: string
  start: number
  bodyStart: number
  bodyEnd: number
}

export type PromptOptions = {
  contextLines: number
  /** Spans of the file that must not be seen, each a block with its braces: other held-out bodies, tests that are withheld. */
  hidden: Span[]
  /** Test code to show after the function, where tests are not withheld. */
  tests: string[]
}

const asked = '{ /* the body */ }'
const withheld = '{ /* withheld */ }'
const marker = /^[ \t]*\/\/ ringside:[^\n]*(?:\n|$)/gm

/**
 * The prompt of a held-out function: what stands around it, its signature and documentation included, with its body out. Nothing that a
 * policy is to write, for this task or another, stands in it.
 */
export function promptOf(source: PromptSource, options: PromptOptions): string {
  const { bodyStart, bodyEnd, text } = source
  const hidden = options.hidden.filter((span) => span.end <= bodyStart || span.start >= bodyEnd)
  const before = lastLines(shown(text, 0, bodyStart, hidden), options.contextLines, docStart(source))
  const after = firstLines(shown(text, bodyEnd, text.length, hidden), options.contextLines)
  const tests =
    options.tests.length === 0
      ? []
      : ['', 'Its tests:', '', '```rust', options.tests.join('\n\n').replaceAll(marker, ''), '```']
  return [
    `Write the body of \`${source.path}\` in ${source.file} of the crate ${source.crate}, as one block with its braces, in one fenced block.`,
    '',
    '```rust',
    `${before}${asked}${after}`,
    '```',
    ...tests,
  ].join('\n')
}

/** The file's text from `from` to `to`, hidden blocks and marks taken out. */
function shown(text: string, from: number, to: number, hidden: readonly Span[]): string {
  const inside = hidden
    .filter((span) => span.start >= from && span.end <= to)
    .sort((a, b) => a.start - b.start || b.end - a.end)
  let out = ''
  let at = from
  for (const span of inside) {
    if (span.start < at) continue
    out += text.slice(at, span.start) + withheld
    at = span.end
  }
  return (out + text.slice(at, to)).replaceAll(marker, '')
}

/** How many lines the signature with its documentation and attributes takes: those are shown whole, whatever the context. */
function docStart({ text, start, bodyStart }: PromptSource): number {
  const lines = text.slice(0, start).split('\n')
  lines.pop()
  let above = 0
  while (/^\s*(\/\/|#\[|\*|\/\*)/.test(lines.at(-1 - above) ?? '')) above += 1
  return above + text.slice(start, bodyStart).split('\n').length
}

function lastLines(text: string, context: number, own: number): string {
  const lines = text.split('\n')
  return lines.slice(Math.max(0, lines.length - own - context)).join('\n')
}

const firstLines = (text: string, context: number): string =>
  text
    .split('\n')
    .slice(0, context + 1)
    .join('\n')
    .trimEnd()

/** A file with blocks replaced as in a prompt: what may go into training data. */
export const withoutBodies = (text: string, hidden: readonly Span[]): string =>
  shown(text, 0, text.length, hidden)
