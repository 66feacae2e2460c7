import { fromMarkdown } from 'mdast-util-from-markdown'
import type { Extraction } from '#shared/domain/grade.ts'
import type { SuiteManifest } from '#shared/domain/suite.ts'

/** Info strings that name a suite's language; so does an empty one. The first word counts, in any case. */
export const languageNames: Record<SuiteManifest['language'], string[]> = {
  python: ['python', 'py'],
  rust: ['rust', 'rs'],
  c: ['c'],
  cpp: ['cpp', 'c++'],
  javascript: ['javascript', 'js'],
  text: ['text', 'txt'],
}

export type Extracted = { extraction: Extraction; body: string | null }

/** Inline markup cannot hold a fence and costs most of the time; blocks alone are parsed. */
const blocksOnly = {
  disable: {
    null: [
      'attention',
      'autolink',
      'codeText',
      'definition',
      'hardBreakEscape',
      'htmlText',
      'labelEnd',
      'labelStartImage',
      'labelStartLink',
    ],
  },
}

/**
 * Takes the body from a completion by CommonMark's rules: exactly one fenced block (backticks or tildes, inside a list item or quote too),
 * closed, its info string the language, an alias or empty. Indented code is no fence.
 */
export function extract(completion: string, language: SuiteManifest['language']): Extracted {
  const blocks = fencedBlocks(completion)
  const [block] = blocks
  const found = (outcome: Extraction['outcome']): Extraction => ({
    outcome,
    fences: blocks.length,
    info: blocks.length === 1 ? (block?.info ?? null) : null,
  })
  if (block === undefined || blocks.length !== 1) return { extraction: found('fence_count'), body: null }
  if (!block.closed) return { extraction: found('unclosed'), body: null }
  const word = block.info.toLowerCase()
  if (word !== '' && !languageNames[language].includes(word)) {
    return { extraction: found('fence_language'), body: null }
  }
  return { extraction: found('body'), body: block.text === '' ? '' : `${block.text}\n` }
}

type Block = { text: string; info: string; closed: boolean }

/** What is read of a parsed block; every node of the tree fits. */
type Piece = {
  type: string
  children?: Piece[]
  value?: string
  lang?: string | null | undefined
  position?: { start: { offset?: number | undefined }; end: { offset?: number | undefined } } | undefined
}

function fencedBlocks(completion: string): Block[] {
  // Where runs of fence characters stand: a block with two of them is closed, with one it is not, with none it was indented.
  const runs: number[] = []
  const tree: Piece = fromMarkdown(completion, {
    extensions: [blocksOnly],
    mdastExtensions: [
      {
        exit: {
          codeFencedFenceSequence(token) {
            runs.push(token.start.offset)
          },
        },
      },
    ],
  })
  const blocks: Block[] = []
  const todo: Piece[] = [tree]
  for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
    if (node.children) todo.push(...node.children)
    if (node.type !== 'code') continue
    const start = node.position?.start.offset ?? 0
    const end = node.position?.end.offset ?? 0
    const fences = runs.filter((at) => at >= start && at < end).length
    if (fences > 0) blocks.push({ text: node.value ?? '', info: node.lang ?? '', closed: fences === 2 })
  }
  return blocks
}
