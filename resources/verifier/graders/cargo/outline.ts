import type { Node } from 'web-tree-sitter'
import type { RustParser } from './rust-parser.ts'

/** A function of a file. Offsets are UTF-16 units into the file's text; `bodyStart` is at `{`, `bodyEnd` after `}`. */
export type FunctionOutline = {
  /** From the file's own root: `merge`, `inner::merge`, `Span::overlap`, `<Span as FromStr>::from_str`, `Shape::area` for a trait's default. */
  path: string
  /** Modules only, as a test's path has them. */
  modulePath: string[]
  name: string
  signature: string
  /** As written; null where nothing is returned. */
  returnType: string | null
  start: number
  bodyStart: number
  bodyEnd: number
  returnsImpl: boolean
  isTest: boolean
  isIgnored: boolean
  marks: Mark[]
}

export type Mark = { kind: 'hold-out' | 'test' | 'negative-control'; ids: string[] }

export type FileOutline = {
  functions: FunctionOutline[]
  modules: string[]
  /** Modules under `#[cfg(test)]` or like it. */
  testModules: string[]
  /** Their blocks, each with its braces. */
  testSpans: { start: number; end: number }[]
  hasError: boolean
}

type Place = { path: string[]; modules: string[]; type: string | null }

/** Every function of a file with a body, those inside functions left out. */
export function outline(parser: RustParser, source: string): FileOutline {
  const found: FileOutline = { functions: [], modules: [], testModules: [], testSpans: [], hasError: false }
  const root = parser.parse(source)
  found.hasError = root.hasError
  visit(root, { path: [], modules: [], type: null }, found)
  return found
}

function visit(parent: Node, place: Place, found: FileOutline): void {
  let above: Node[] = []
  for (const node of parent.namedChildren) {
    if (!node) continue
    if (['line_comment', 'block_comment', 'attribute_item'].includes(node.type)) {
      above.push(node)
      continue
    }
    visitItem(node, above, place, found)
    above = []
  }
}

function visitItem(node: Node, above: Node[], place: Place, found: FileOutline): void {
  const name = node.childForFieldName('name')?.text ?? ''
  const body = node.childForFieldName('body')
  if (node.type === 'mod_item') {
    found.modules.push(name)
    if (attributesOf(above).some((text) => /^#\[\s*cfg\b.*\btest\b/s.test(text))) {
      found.testModules.push(name)
      if (body) found.testSpans.push({ start: body.startIndex, end: body.endIndex })
    }
  }
  if (!body) return
  if (node.type === 'mod_item')
    visit(body, { path: [...place.path, name], modules: [...place.modules, name], type: null }, found)
  else if (node.type === 'impl_item') visit(body, { ...place, type: implName(node) }, found)
  else if (node.type === 'trait_item') visit(body, { ...place, type: name }, found)
  else if (node.type === 'function_item') found.functions.push(functionOutline(node, body, above, place))
}

function implName(node: Node): string {
  const type = tidy(node.childForFieldName('type')?.text ?? '')
  const trait = node.childForFieldName('trait')
  return trait ? `<${type} as ${tidy(trait.text)}>` : type
}

/** Type text with white space only where it parts words, so that formatting does not change a path. */
const tidy = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/ ?([<>,&()[\]:;=]) ?/g, '$1')
    .trim()

function functionOutline(node: Node, body: Node, above: Node[], place: Place): FunctionOutline {
  const name = node.childForFieldName('name')?.text ?? ''
  const attributes = attributesOf(above)
  return {
    path: [...place.path, ...(place.type === null ? [] : [place.type]), name].join('::'),
    modulePath: place.modules,
    name,
    signature: node.text.slice(0, body.startIndex - node.startIndex).trim(),
    returnType: node.childForFieldName('return_type')?.text ?? null,
    start: node.startIndex,
    bodyStart: body.startIndex,
    bodyEnd: body.endIndex,
    returnsImpl: /\bimpl\b/.test(node.childForFieldName('return_type')?.text ?? ''),
    isTest: attributes.some((text) => /^#\[\s*test\s*\]$/.test(text)),
    isIgnored: attributes.some((text) => /^#\[\s*ignore\b/.test(text)),
    marks: above.flatMap((comment) => markOf(comment)),
  }
}

const attributesOf = (above: Node[]): string[] =>
  above.filter((item) => item.type === 'attribute_item').map((item) => item.text)

function markOf(comment: Node): Mark[] {
  const match = /^\/\/ ringside:(hold-out|test|negative-control) +([^\n]*?)\s*$/.exec(comment.text)
  const kind = match?.[1]
  if (kind !== 'hold-out' && kind !== 'test' && kind !== 'negative-control') return []
  return [{ kind, ids: (match?.[2] ?? '').split(/\s+/) }]
}
