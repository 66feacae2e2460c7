import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Language, type Node, Parser } from 'web-tree-sitter'

const require = createRequire(import.meta.url)

/** A file's bytes by its place in the packages or, when this program is one bundled file, beside that. */
function wasm(specifier: string): Uint8Array {
  const beside = `${import.meta.dirname}/${specifier.split('/').at(-1)}`
  return readFileSync(existsSync(beside) ? beside : require.resolve(specifier))
}

export type RustParser = { parse(source: string): Node }

let loading: Promise<RustParser> | null = null

/** The Rust grammar, loaded once a process. Offsets in its trees are UTF-16 units of the source. */
export function loadRustParser(): Promise<RustParser> {
  loading ??= load()
  return loading
}

async function load(): Promise<RustParser> {
  await Parser.init({ wasmBinary: wasm('web-tree-sitter/web-tree-sitter.wasm') })
  const language = await Language.load(wasm('tree-sitter-rust/tree-sitter-rust.wasm'))
  let last: { delete(): void } | null = null
  return {
    parse(source) {
      const parser = new Parser()
      parser.setLanguage(language)
      const tree = parser.parse(source)
      parser.delete()
      if (!tree) throw new Error('the Rust grammar gave no tree')
      // A tree lives outside the JavaScript heap; one at a time is enough here, and callers copy what they need.
      last?.delete()
      last = tree
      return tree.rootNode
    },
  }
}
