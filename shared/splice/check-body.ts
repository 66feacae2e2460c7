import { nonLocalImpls } from './local-impls.ts'
import { macroTokens, type Path, pathsOf } from './paths.ts'
import {
  allowedAttributes,
  allowedDerives,
  type Finding,
  fileMethods,
  powerNames,
  resultLine,
} from './policy.ts'
import {
  deniedMacros,
  deniedStdPath,
  isDenied,
  isKnownMacro,
  isSensitiveModule,
  stdRoots,
} from './std-names.ts'
import { isIdent, isPathSeparator, isPunct, type Token } from './token.ts'
import { type Import, importsOf } from './use-tree.ts'

/** What a body's surroundings give to its names. */
export type Surroundings = {
  /** Of the body's own file, and of the crate's other files: names that may be reached by `super::*` or a crate path. */
  imports: Import[]
  crateImports: Import[]
  /** Names of modules the crate declares itself; `crate::process` is then not the standard library's. */
  modules: ReadonlySet<string>
  /** Names of modules compiled only under test. */
  testModules: ReadonlySet<string>
  /** Whether the file has to do with paths of files at all; else `exists()` and its like are some other type's. */
  handlesPaths: boolean
  /** Whether the function's return type hides a type behind `impl`. */
  returnsImpl: boolean
}

/**
 * Everything in a body that is against the policy, in order of place. `reference` allows what it does itself.
 * @param tokens of the block, its braces included.
 */
export function checkBody(
  tokens: readonly Token[],
  around: Surroundings,
  reference: readonly Token[] | null,
): Finding[] {
  const allowed = new Set(reference ? findings(reference, around).map(keyOf) : [])
  return findings(tokens, around)
    .filter((finding) => !allowed.has(keyOf(finding)))
    .sort((a, b) => a.at - b.at)
}

const keyOf = (finding: Finding) => `${finding.rule} ${finding.key}`

function findings(tokens: readonly Token[], around: Surroundings): Finding[] {
  return [
    ...attributes(tokens),
    ...keywords(tokens),
    ...imports(tokens, around),
    ...names(tokens, around),
    ...nonLocalImpls(tokens, around.returnsImpl),
    ...lifetimeHoles(tokens),
    ...texts(tokens),
  ]
}

function attributes(tokens: readonly Token[]): Finding[] {
  return tokens.flatMap((token, at): Finding[] => {
    if (!isPunct(token, '#')) return []
    const inner = isPunct(tokens[at + 1], '!')
    const open = at + (inner ? 2 : 1)
    if (tokens[open]?.text !== '[') return []
    const name = tokens[open + 1]?.text ?? ''
    if (inner) return [{ rule: 'inner_attribute', key: name, at: token.start }]
    const body = tokens.slice(open + 1, groupEnd(tokens, open))
    const silences = body.some((part) => isIdent(part, 'non_local_definitions'))
    const derives = name === 'derive' ? body.slice(1).filter((part) => part.kind === 'ident') : []
    const odd = derives.find((part) => !allowedDerives.has(part.text))
    if (allowedAttributes.has(name) && !silences && !odd) return []
    return [{ rule: 'attribute', key: odd ? `derive ${odd.text}` : name, at: token.start }]
  })
}

export function groupEnd(tokens: readonly Token[], open: number): number {
  let depth = 0
  for (let at = open; at < tokens.length; at += 1) {
    if (tokens[at]?.kind === 'open') depth += 1
    if (tokens[at]?.kind === 'close') depth -= 1
    if (depth === 0) return at
  }
  return tokens.length
}

function keywords(tokens: readonly Token[]): Finding[] {
  const usesUnsafe = tokens.some((token) => isIdent(token, 'unsafe'))
  return tokens.flatMap((token, at): Finding[] => {
    const next = tokens[at + 1]
    if (token.kind !== 'ident') return []
    if (token.text === 'unsafe') return [{ rule: 'unsafe', key: 'unsafe', at: token.start }]
    if (token.text === 'extern') return [{ rule: 'extern', key: 'extern', at: token.start }]
    if (token.text === 'mod' && next?.kind === 'ident')
      return [{ rule: 'module', key: 'mod', at: token.start }]
    if (token.text === 'union' && next?.kind === 'ident' && ['{', '<'].includes(tokens[at + 2]?.text ?? ''))
      return [{ rule: 'union', key: 'union', at: token.start }]
    if (usesUnsafe && powerNames.has(token.text))
      return [{ rule: 'unsafe_power', key: token.text, at: token.start }]
    if (usesUnsafe && token.text === 'as' && isPunct(next, '*'))
      return [{ rule: 'unsafe_power', key: 'as *', at: token.start }]
    return []
  })
}

function imports(tokens: readonly Token[], around: Surroundings): Finding[] {
  return importsOf(tokens).flatMap(({ path, name, glob, at }): Finding[] => {
    const resolved = resolve(path, aliases(around.imports))
    const text = [...path, ...(glob ? ['*'] : [])].join('::')
    const root = path.length === 1 && stdRoots.has(path[0] ?? '')
    const last = path.at(-1) ?? ''
    const renamed = isSensitiveModule(last) && name !== last && !glob && !around.modules.has(last)
    if (root || renamed) return [{ rule: 'renamed_root', key: text, at }]
    const denied = deniedPath(resolved, glob, around)
    return denied ? [{ rule: 'denied_path', key: denied, at }] : []
  })
}

function names(tokens: readonly Token[], around: Surroundings): Finding[] {
  const own = importsOf(tokens)
  const globbed = own.some((item) => item.glob && !stdRoots.has(item.path[0] ?? ''))
  const bound = aliases([...around.imports, ...(globbed ? around.crateImports : []), ...own])
  const crateBound = aliases(around.crateImports)
  const paths = pathsOf(tokens)
  const foreignMacros =
    tokens.some((token) => isIdent(token, 'macro_rules')) ||
    paths.some((path) => path.macro && !isKnownMacro(path.segments.at(-1) ?? ''))
  const looseRoot = paths.some(
    (path) => path.inMacro && path.segments.length === 1 && stdRoots.has(path.segments[0] ?? ''),
  )
  const hideable = (name: string) => foreignMacros && (looseRoot || bound.has(name) || crateBound.has(name))
  return [
    ...paths.flatMap((path) => nameFindings(path, bound, crateBound, around, hideable)),
    ...methods(tokens, around),
    ...pasted(tokens),
  ]
}

function nameFindings(
  path: Path,
  bound: Map<string, string[]>,
  crateBound: Map<string, string[]>,
  around: Surroundings,
  hideable: (name: string) => boolean,
): Finding[] {
  const { segments, at } = path
  const last = segments.at(-1) ?? ''
  if (path.macro && deniedMacros.has(last)) return [{ rule: 'denied_macro', key: last, at }]
  if (path.inMacro && segments.length === 1) {
    if (deniedMacros.has(last) && last !== 'env' && last !== 'cfg')
      return [{ rule: 'denied_macro', key: last, at }]
    if (hideable(last) && isSensitiveModule(last) && isDenied(last, 'exit'))
      return [{ rule: 'hidden_name', key: last, at }]
  }
  if (segments.length > 1) {
    const test = segments.find((segment) => around.testModules.has(segment))
    if (test !== undefined) return [{ rule: 'reads_tests', key: test, at }]
  }
  const tail = segments.length > 1 ? crateBound.get(last) : undefined
  const denied = deniedPath(resolve(segments, bound), false, around) ?? (tail && deniedStdPath(tail, false))
  return denied ? [{ rule: 'denied_path', key: denied, at }] : []
}

/** What each name stands for, for names bound to a path of the standard library. */
function aliases(imported: readonly Import[]): Map<string, string[]> {
  const bound = new Map<string, string[]>()
  for (const { path, name } of imported)
    if (name !== null && stdRoots.has(path[0] ?? '') && path.length > 1) bound.set(name, path)
  return bound
}

const resolve = (segments: string[], bound: Map<string, string[]>): string[] => {
  const head = bound.get(segments[0] ?? '')
  return head ? [...head, ...segments.slice(1)] : segments
}

/** A path's refused part: from the standard library's root where it leads there, else wherever it passes a sensitive module's name. */
function deniedPath(path: string[], glob: boolean, around: Surroundings): string | null {
  if (stdRoots.has(path[0] ?? '') && path.length > 1) return deniedStdPath(path, glob)
  for (const [at, segment] of path.entries()) {
    const leaf = path[at + 1] ?? null
    if (!isSensitiveModule(segment) || around.modules.has(segment) || (leaf === null && !glob)) continue
    const denied = deniedStdPath(['std', segment, ...(leaf === null ? [] : [leaf])], glob && leaf === null)
    if (denied) return denied
  }
  return null
}

function methods(tokens: readonly Token[], around: Surroundings): Finding[] {
  const paths = around.handlesPaths || namesPaths(tokens)
  if (!paths) return []
  return tokens.flatMap((token, at): Finding[] => {
    const called = isPunct(tokens[at - 1], '.') && tokens[at + 1]?.text === '('
    const empty = called && tokens[at + 2]?.text === ')'
    return empty && token.kind === 'ident' && fileMethods.has(token.text)
      ? [{ rule: 'touches_files', key: token.text, at: token.start }]
      : []
  })
}

const pathTypes = new Set(['Path', 'PathBuf', 'OsStr', 'OsString'])

/** Whether tokens name a type of paths. */
export const namesPaths = (tokens: readonly Token[]): boolean =>
  tokens.some((token) => pathTypes.has(token.text))

/** `$x::`, `::$x` and `$x!(`: a name of which a part is put in later. */
function pasted(tokens: readonly Token[]): Finding[] {
  const inMacro = macroTokens(tokens)
  return tokens.flatMap((token, at): Finding[] => {
    if (!inMacro[at]) return []
    const before = tokens[at - 1]
    const variable = isPunct(tokens[at - 2], '$') && before?.text !== 'crate'
    if (isPunct(token, '!') && variable && tokens[at + 1]?.kind === 'open')
      return [{ rule: 'pasted_path', key: '!', at: token.start }]
    if (!isPathSeparator(tokens, at)) return []
    const repeated = before?.text === ')' || before?.text === '$'
    if (!variable && !repeated && !isPunct(tokens[at + 2], '$')) return []
    return [{ rule: 'pasted_path', key: '::', at: token.start }]
  })
}

function lifetimeHoles(tokens: readonly Token[]): Finding[] {
  const pointer = tokens.some((token, at) => isIdent(token, 'fn') && tokens[at + 1]?.text === '(')
  if (!pointer) return []
  return tokens.flatMap((token, at): Finding[] => {
    if (!isIdent(token, 'fn') || tokens[at + 1]?.kind !== 'ident' || !isPunct(tokens[at + 2], '<')) return []
    const several =
      tokens[at + 3]?.kind === 'lifetime' && tokens.slice(at + 4, at + 9).some((t) => t.kind === 'lifetime')
    return several ? [{ rule: 'lifetime_hole', key: 'fn', at: token.start }] : []
  })
}

const texts = (tokens: readonly Token[]): Finding[] =>
  tokens.flatMap((token): Finding[] =>
    token.kind === 'string' && resultLine.test(token.text)
      ? [{ rule: 'forged_line', key: 'result line', at: token.start }]
      : [],
  )
