import { createRequire } from 'node:module'
import { Language, Parser } from 'web-tree-sitter'
import type { Language as LanguageName } from '#shared/mutation/dialect.ts'
import type { SyntaxNode } from '#shared/mutation/syntax.ts'

// Not called `require`: the bundler puts a variable of that name of its own in front.
const packages = createRequire(import.meta.url)
const grammars: Record<LanguageName, string> = {
  python: 'tree-sitter-python/tree-sitter-python.wasm',
  rust: 'tree-sitter-rust/tree-sitter-rust.wasm',
}

/** Parses one body; null where it does not parse without an error. */
export type Parse = (text: string) => SyntaxNode | null

/**
 * A parser for bodies of `language`. A Python body is a whole module; a Rust body is the block of a function and is parsed inside one, with
 * indices counted from the body's own start.
 */
export async function loadParser(language: LanguageName): Promise<Parse> {
  await Parser.init()
  const parser = new Parser()
  parser.setLanguage(await Language.load(packages.resolve(grammars[language])))
  const [before, after] = language === 'rust' ? ['fn body() ', ''] : ['', '']
  return (text) => {
    const tree = parser.parse(before + text + after)
    if (!tree || tree.rootNode.hasError) return null
    return shifted(tree.rootNode as unknown as TreeNode, before.length)
  }
}

type TreeNode = Omit<SyntaxNode, 'children' | 'childForFieldName'> & {
  readonly children: readonly (TreeNode | null)[]
  childForFieldName(name: string): TreeNode | null
}

/** A view of `node` whose indices and first-row columns are counted from `offset`. */
function shifted(node: TreeNode, offset: number): SyntaxNode {
  const { row, column } = node.startPosition
  return {
    type: node.type,
    isNamed: node.isNamed,
    startIndex: node.startIndex - offset,
    endIndex: node.endIndex - offset,
    startPosition: { row, column: row === 0 ? column - offset : column },
    children: node.children.filter((child) => child !== null).map((child) => shifted(child, offset)),
    childForFieldName: (name) => {
      const child = node.childForFieldName(name)
      return child && shifted(child, offset)
    },
  }
}
