import type { Choices, Option } from '../policy/holes.ts'
import type { Written } from '../policy/sketch.ts'
import { detours, proses } from './detours.ts'
import { functionBody } from './function.ts'
import type { Style } from './style.ts'

/** Turns a filled sketch into a completion. The same choices and style always give the same bytes. */
export function renderCompletion(choices: Choices, style: Style): Written {
  const body = bodyOf(choices, style)
  if (body === null) return { text: `${proses[style.variant] ?? proses[0]}\n`, truncated: false }
  const fence = choices.fence ?? 'python'
  const closing = style.closing === '' ? '' : `\n${style.closing}\n`
  if (fence === 'unclosed') return { text: `${style.opening}\n\n\`\`\`python\n${cut(body)}`, truncated: true }
  return { text: `${style.opening}\n\n${fenced(fence, body)}${closing}`, truncated: false }
}

/** The program that the choices write, whatever the fence around it; null for prose. */
export function bodyOf(choices: Choices, style: Pick<Style, 'names' | 'doc' | 'variant'>): string | null {
  const { reply } = choices
  if (reply === 'prose' || reply === undefined) return null
  if (reply === 'function') return functionBody(choices, style)
  return detours[reply][style.variant] ?? null
}

function fenced(fence: Exclude<Option<'fence'>, 'unclosed'>, body: string): string {
  switch (fence) {
    case 'python':
    case 'py':
      return `\`\`\`${fence}\n${body}\`\`\`\n`
    case 'bare':
      return `\`\`\`\n${body}\`\`\`\n`
    case 'tildes':
      return `~~~python\n${body}~~~\n`
    case 'other':
      return `\`\`\`text\n${body}\`\`\`\n`
    case 'none':
      return body
    case 'twice':
      return `\`\`\`python\n${body}\`\`\`\n\nFor example:\n\n\`\`\`python\nprint(required_capacity([[3, 5], [4, 9]]))\n\`\`\`\n`
  }
}

/** The first three fifths of the body: where a cap on tokens would have ended it. */
const cut = (body: string): string => body.slice(0, Math.ceil(body.length * 0.6))

/** Words, numbers and marks: a plain count that a person can follow, since this policy has no tokenizer. */
export const countTokens = (text: string): number => text.match(/\w+|[^\w\s]/g)?.length ?? 0
