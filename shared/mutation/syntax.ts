/** The part of a concrete syntax tree that mutation reads; a tree-sitter node fits it. Indices are UTF-16 code units of the source. */
export type SyntaxNode = {
  readonly type: string
  readonly isNamed: boolean
  readonly startIndex: number
  readonly endIndex: number
  readonly startPosition: { readonly row: number; readonly column: number }
  readonly children: readonly SyntaxNode[]
  childForFieldName(name: string): SyntaxNode | null
}

export const namedChildren = (node: SyntaxNode): SyntaxNode[] =>
  node.children.filter((child) => child.isNamed)

/** Every node below and including `node`, parents first; subtrees for which `enter` is false are left out. */
export function* walk(node: SyntaxNode, enter: (node: SyntaxNode) => boolean): Generator<SyntaxNode> {
  if (!enter(node)) return
  yield node
  for (const child of node.children) yield* walk(child, enter)
}
