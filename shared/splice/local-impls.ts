import { macroTokens } from './paths.ts'
import type { Finding } from './policy.ts'
import { plainMethods } from './policy.ts'
import { isIdent, isPunct, type Token } from './token.ts'

type Scope = readonly number[]
type Header = { generics: Set<string>; trait: string[] | null; self: string[]; open: number }

/**
 * `impl`s that hold outside the body. One is local where its type, or its trait, is declared in the same block or one around it: Rust lets an
 * `impl` inside a function name anything the crate can see, and it then holds everywhere. Judged by names with their scopes, so a type of
 * the same name in some other block, a type parameter or an alias does not make an `impl` local.
 */
export function nonLocalImpls(tokens: readonly Token[], returnsImpl: boolean): Finding[] {
  const scopes = scopesOf(tokens)
  const inMacro = macroTokens(tokens)
  const declared = declarations(tokens, scopes)
  const findings: Finding[] = []
  tokens.forEach((token, at) => {
    if (!isIdent(token, 'impl') || (!inMacro[at] && isTypePosition(tokens[at - 1]))) return
    const header = readHeader(tokens, at + 1)
    const local = (path: string[] | null) => isLocal(path, header, declared, scopes[at] ?? [])
    if (header && (local(header.self) || local(header.trait))) {
      if (returnsImpl) findings.push(...lyingMethods(tokens, header.open))
      return
    }
    const key = header ? `${header.trait?.join('::') ?? ''} for ${header.self.join('::')}` : 'unreadable'
    findings.push({ rule: 'non_local_impl', key, at: token.start })
  })
  return findings
}

/** For each token the blocks it stands in, by the number of their opening token, outermost first. */
function scopesOf(tokens: readonly Token[]): Scope[] {
  let scope: Scope = []
  return tokens.map((token, at) => {
    if (token.kind === 'close' && token.text === '}') scope = scope.slice(0, -1)
    const here = scope
    if (token.kind === 'open' && token.text === '{') scope = [...scope, at]
    return here
  })
}

type Declared = { name: string; scope: Scope }

function declarations(tokens: readonly Token[], scopes: Scope[]): Declared[] {
  return tokens.flatMap((token, at) => {
    const declares = ['struct', 'enum', 'union', 'trait'].some((word) => isIdent(token, word))
    const name = tokens[at + 1]
    return declares && name?.kind === 'ident' ? [{ name: name.text, scope: scopes[at] ?? [] }] : []
  })
}

const isTypePosition = (before: Token | undefined): boolean =>
  before !== undefined && [':', '>', '&', '=', '+', '<', ',', '('].some((text) => isPunct(before, text))

function isLocal(path: string[] | null, header: Header | null, declared: Declared[], scope: Scope): boolean {
  const [name] = path ?? []
  if (name === undefined || path?.length !== 1 || header?.generics.has(name)) return false
  return declared.some((item) => item.name === name && item.scope.every((block, i) => scope[i] === block))
}

/** Reads `<…>? Trait for Type {` or `<…>? Type {` from `from`; null where it is neither. */
function readHeader(tokens: readonly Token[], from: number): Header | null {
  const generics = new Set<string>()
  let at = from
  if (isPunct(tokens[at], '<')) {
    const end = afterAngles(tokens, at)
    for (const token of tokens.slice(at, end)) if (token.kind === 'ident') generics.add(token.text)
    at = end
  }
  if (isIdent(tokens[at], 'const')) at += 1
  const first = readType(tokens, at)
  if (!first) return null
  if (!isIdent(tokens[first.end], 'for')) return { generics, trait: null, self: first.path, open: first.end }
  const second = readType(tokens, first.end + 1)
  return second && { generics, trait: first.path, self: second.path, open: second.end }
}

/** The head of a type: references and `mut` aside, a path without its arguments. `end` is the place after it, at `for`, `where` or `{`. */
function readType(tokens: readonly Token[], from: number): { path: string[]; end: number } | null {
  let at = from
  while (isPunct(tokens[at], '&') || tokens[at]?.kind === 'lifetime' || isIdent(tokens[at], 'mut')) at += 1
  const path: string[] = []
  let depth = 0
  let head = true
  for (; at < tokens.length; at += 1) {
    const token = tokens[at]
    if (token === undefined || isPunct(token, '$')) return null
    if (depth === 0 && (isIdent(token, 'for') || (token.kind === 'open' && token.text === '{'))) break
    if (depth === 0 && isIdent(token, 'where')) {
      while (at < tokens.length && tokens[at]?.text !== '{') at += 1
      break
    }
    if (token.kind === 'close' && depth === 0) return null
    if (isPunct(token, '<') || token.kind === 'open') depth += 1
    if (token.kind === 'close' || (isPunct(token, '>') && !isPunct(tokens[at - 1], '-'))) depth -= 1
    if (depth === 0 && head && token.kind === 'ident') path.push(token.text)
    if (depth === 0 && head && token.kind !== 'ident' && !isPunct(token, ':')) head = false
    if (depth > 0) head = isPunct(token, '<') ? false : head && token.kind === 'ident'
  }
  return { path, end: at }
}

function afterAngles(tokens: readonly Token[], from: number): number {
  let depth = 0
  for (let at = from; at < tokens.length; at += 1) {
    if (isPunct(tokens[at], '<')) depth += 1
    if (isPunct(tokens[at], '>') && !isPunct(tokens[at - 1], '-')) depth -= 1
    if (depth === 0) return at + 1
  }
  return tokens.length
}

/** Methods and constants an `impl` block opened at `open` defines beyond what its kind of type needs. */
function lyingMethods(tokens: readonly Token[], open: number): Finding[] {
  const findings: Finding[] = []
  let depth = 0
  for (let at = open; at < tokens.length; at += 1) {
    const token = tokens[at]
    if (token?.kind === 'open') depth += 1
    if (token?.kind === 'close') depth -= 1
    if (depth === 0) break
    const name = tokens[at + 1]
    if (depth === 1 && isIdent(token, 'fn') && name && !plainMethods.has(name.text))
      findings.push({ rule: 'lying_type', key: name.text, at: name.start })
  }
  return findings
}
