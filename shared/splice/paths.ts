import { isPathSeparator, isPunct, type Token } from './token.ts'

/** Names joined by `::` as they stand, type arguments left out. A lone name is a path of one. */
export type Path = { segments: string[]; at: number; macro: boolean; inMacro: boolean }

/** Every path outside `use` declarations (those are `importsOf`), with whether it calls a macro and whether it stands inside a macro's tokens. */
export function pathsOf(tokens: readonly Token[]): Path[] {
  const inMacro = macroTokens(tokens)
  const paths: Path[] = []
  let at = 0
  while (at < tokens.length) {
    const token = tokens[at]
    if (token?.kind !== 'ident') {
      at += 1
      continue
    }
    const segments = [token.text]
    let next = at + 1
    while (isPathSeparator(tokens, next) && tokens[next + 2]?.kind === 'ident') {
      segments.push(tokens[next + 2]?.text ?? '')
      next += 3
    }
    const macro = isPunct(tokens[next], '!') && tokens[next + 1]?.kind === 'open'
    paths.push({ segments, at: token.start, macro, inMacro: inMacro[at] ?? false })
    at = next
  }
  return paths
}

/** For each token, whether it stands between the delimiters of a macro call or definition. */
export function macroTokens(tokens: readonly Token[]): boolean[] {
  const inside: boolean[] = []
  let depth = 0
  let macroFrom = Number.POSITIVE_INFINITY
  tokens.forEach((token, at) => {
    if (token.kind === 'close') {
      depth -= 1
      if (depth < macroFrom) macroFrom = Number.POSITIVE_INFINITY
    }
    inside.push(depth >= macroFrom)
    if (token.kind !== 'open') return
    depth += 1
    if (macroFrom === Number.POSITIVE_INFINITY && opensMacro(tokens, at)) macroFrom = depth
  })
  return inside
}

const opensMacro = (tokens: readonly Token[], at: number): boolean => {
  const bang = (index: number) => isPunct(tokens[index], '!') && tokens[index - 1]?.kind === 'ident'
  const defines = tokens[at - 1]?.kind === 'ident' && bang(at - 2)
  return defines || bang(at - 1)
}
