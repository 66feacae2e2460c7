import type { Dialect } from './dialect.ts'
import { namedChildren, type SyntaxNode, walk } from './syntax.ts'

/** The kinds of fault that are planted. Each is a mistake that people and policies make. */
export const mutationOperators = [
  'operator',
  'constant',
  'bound',
  'condition',
  'early_return',
  'loop_once',
  'dropped_statement',
  'swapped_order',
  'call',
] as const
export type MutationOperator = (typeof mutationOperators)[number]

/** A replacement of `source[start, end)`. */
export type Edit = { operator: MutationOperator; node: SyntaxNode; start: number; end: number; text: string }

type Operator = (node: SyntaxNode, source: string, dialect: Dialect) => Edit[]

const textOf = (node: SyntaxNode, source: string) => source.slice(node.startIndex, node.endIndex)

const replace = (operator: MutationOperator, node: SyntaxNode, text: string): Edit => ({
  operator,
  node,
  start: node.startIndex,
  end: node.endIndex,
  text,
})

/** Exchanges two neighbours, keeping what stands between them. */
function swap(operator: MutationOperator, a: SyntaxNode, b: SyntaxNode, source: string): Edit {
  const between = source.slice(a.endIndex, b.startIndex)
  const text = textOf(b, source) + between + textOf(a, source)
  return { operator, node: a, start: a.startIndex, end: b.endIndex, text }
}

const operatorToken: Operator = (node, _source, dialect) =>
  dialect.operatorNodes.has(node.type)
    ? node.children
        .filter((child) => !child.isNamed)
        .flatMap((token) =>
          (dialect.operators[token.type] ?? []).map((text) => replace('operator', token, text)),
        )
    : []

const constant: Operator = (node, source, dialect) => {
  const flipped = dialect.booleans[textOf(node, source).toLowerCase()]
  if (flipped !== undefined && node.children.length <= 1) return [replace('constant', node, flipped)]
  if (node.type !== dialect.integer) return []
  const parts = /^(\d[\d_]*)(.*)$/.exec(textOf(node, source))
  if (!parts || parts[2]?.startsWith('x')) return []
  const value = BigInt((parts[1] ?? '0').replaceAll('_', ''))
  const values = value === 0n ? [1n] : [value + 1n, value - 1n]
  return values.map((changed) => replace('constant', node, `${changed}${parts[2] ?? ''}`))
}

/** Moves a bound that is no literal by one; literal bounds are moved by `constant`. */
const bound: Operator = (node, source, dialect) => {
  if (!dialect.bounds.has(node.type)) return []
  return namedChildren(node)
    .filter((child) => child.type !== dialect.integer)
    .flatMap((child) =>
      ['+', '-'].map((sign) => replace('bound', child, `(${textOf(child, source)} ${sign} 1)`)),
    )
}

const condition: Operator = (node, source, dialect) => {
  const test = dialect.conditionals.has(node.type) ? node.childForFieldName('condition') : null
  if (!test || test.type.startsWith('let_')) return []
  const forced = dialect.loops.has(node.type) ? [dialect.always[1]] : dialect.always
  return [dialect.negate(textOf(test, source)), ...forced].map((text) => replace('condition', test, text))
}

const earlyReturn: Operator = (node, source, dialect) => {
  const value = dialect.returns.has(node.type) ? namedChildren(node)[0] : undefined
  if (!value) return []
  return dialect.returnValues
    .filter((text) => text !== textOf(value, source))
    .map((text) => replace('early_return', value, text))
}

const loopOnce: Operator = (node, source, dialect) => {
  const body = dialect.loops.has(node.type) ? node.childForFieldName('body') : null
  const last = body && namedChildren(body).at(-1)
  const first = body && namedChildren(body)[0]
  if (!body || !last || !first) return []
  const at = last.endIndex
  const text = dialect.breakLoop(' '.repeat(first.startPosition.column))
  const needsSemicolon = dialect.block === 'block' && dialect.blank.endsWith(';') && source[at - 1] !== ';'
  return [{ operator: 'loop_once', node: last, start: at, end: at, text: (needsSemicolon ? ';' : '') + text }]
}

const statements: Operator = (node, source, dialect) => {
  if (node.type !== dialect.block) return []
  const inside = namedChildren(node).filter(
    (child) => dialect.statements.has(child.type) && !isDocumentation(child),
  )
  const dropped = inside
    .filter((child) => textOf(child, source) !== dialect.blank)
    .map((child) => replace('dropped_statement', child, dialect.blank))
  const swapped = inside.flatMap((child, i) => {
    const next = inside[i + 1]
    return next ? [swap('swapped_order', child, next, source)] : []
  })
  return [...dropped, ...swapped]
}

const isDocumentation = (node: SyntaxNode) =>
  node.type === 'expression_statement' && node.children[0]?.type === 'string'

const elements: Operator = (node, source, dialect) => {
  if (node.type !== dialect.callArguments && !dialect.tuples.has(node.type)) return []
  const items = namedChildren(node).filter((child) => child.type !== 'keyword_argument')
  return items.flatMap((item, i) => {
    const next = items[i + 1]
    return next && textOf(item, source) !== textOf(next, source)
      ? [swap('swapped_order', item, next, source)]
      : []
  })
}

const call: Operator = (node, source, dialect) =>
  dialect.identifiers.has(node.type)
    ? (dialect.names[textOf(node, source)] ?? []).map((name) => replace('call', node, name))
    : []

const all: Operator[] = [
  operatorToken,
  constant,
  bound,
  condition,
  earlyReturn,
  loopOnce,
  statements,
  elements,
  call,
]

/** Every single edit that the operators can make below `root`, in order of position. */
export function editsOf(root: SyntaxNode, source: string, dialect: Dialect): Edit[] {
  const nodes = [...walk(root, (node) => !dialect.opaque.has(node.type))]
  return nodes
    .flatMap((node) => all.flatMap((make) => make(node, source, dialect)))
    .sort((a, b) => a.start - b.start)
}
