import { isIdent, isPathSeparator, isPunct, type Token } from './token.ts'

/** One name a `use` brings in: its full path as written, the name it is bound to (null for `*` and `as _`). */
export type Import = { path: string[]; name: string | null; glob: boolean; at: number }

/** Every import of every `use` in `tokens`, groups and renames resolved. Inside macro calls too, where `use` may become one. */
export function importsOf(tokens: readonly Token[]): Import[] {
  const imports: Import[] = []
  tokens.forEach((token, at) => {
    if (isIdent(token, 'use')) readTree(tokens, at + 1, [], imports)
  })
  return imports
}

/** Reads one tree from `at`; returns the place after it. Anything that is no tree ends it there. */
function readTree(tokens: readonly Token[], from: number, prefix: string[], imports: Import[]): number {
  const path = [...prefix]
  let at = from
  const start = tokens[from]?.start ?? 0
  for (;;) {
    if (isPathSeparator(tokens, at)) at += 2
    const token = tokens[at]
    if (isPunct(token, '*')) {
      imports.push({ path, name: null, glob: true, at: start })
      return at + 1
    }
    if (token?.kind === 'open' && token.text === '{') return readGroup(tokens, at + 1, path, imports)
    if (token?.kind !== 'ident') return at
    path.push(token.text)
    at += 1
    if (isPathSeparator(tokens, at)) continue
    return finish(tokens, at, path, imports, start)
  }
}

function readGroup(tokens: readonly Token[], from: number, prefix: string[], imports: Import[]): number {
  let at = from
  while (at < tokens.length && tokens[at]?.kind !== 'close') {
    const next = readTree(tokens, at, prefix, imports)
    at = next === at || isPunct(tokens[next], ',') ? next + 1 : next
  }
  return at + 1
}

function finish(
  tokens: readonly Token[],
  at: number,
  path: string[],
  imports: Import[],
  start: number,
): number {
  const self = path.at(-1) === 'self' && path.length > 1
  const full = self ? path.slice(0, -1) : path
  const renamed = isIdent(tokens[at], 'as')
  const name = renamed ? (tokens[at + 1]?.text ?? null) : (full.at(-1) ?? null)
  imports.push({ path: full, name: name === '_' ? null : name, glob: false, at: start })
  return renamed ? at + 2 : at
}
