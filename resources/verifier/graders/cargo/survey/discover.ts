import { dirname } from 'node:path'
import { isLexError, lex } from '#shared/splice/lexer.ts'
import type { Token } from '#shared/splice/token.ts'
import type { Package } from '../cargo-messages.ts'
import { type FunctionOutline, outline } from '../outline.ts'
import type { RustParser } from '../rust-parser.ts'
import type { CargoTest, TestTarget } from '../task.ts'

/** Names of tests as each test binary lists them, with the target they are in. */
export type ListedTests = { target: TestTarget; names: string[] }
export type Candidate = { file: string; function: FunctionOutline; tests: CargoTest[]; sameName: number }
export type SourceFile = { path: string; source: string }

/** Every function of a crate's sources whose name some test calls, with those tests; see `functionsWithTests`. */
export const calledFunctions = (...[parser, owner, files, listed]: Parameters<typeof functionsWithTests>) =>
  functionsWithTests(parser, owner, files, listed).filter(({ tests }) => tests.length > 0)

/**
 * Every function of a crate's sources, with the tests that call its name. A test that a macro makes has no text of its own: there the
 * calls are those of its file's macros. Names alone tell, so a name that several functions share is counted in `sameName`.
 */
export function functionsWithTests(
  parser: RustParser,
  owner: Package,
  files: SourceFile[],
  listed: ListedTests[],
): Candidate[] {
  const isOwn = ownSources(owner)
  const calls = listed.flatMap((list) => callsOf(parser, owner, files, list))
  const candidates = files
    .filter((file) => isOwn(file.path))
    .flatMap(({ path, source }) => {
      const found = outline(parser, source)
      const own = (item: FunctionOutline) =>
        !item.isTest && !item.modulePath.some((name) => found.testModules.includes(name))
      return found.functions.filter(own).map((item) => ({ file: path, function: item }))
    })
  const counts = new Map<string, number>()
  for (const { function: item } of candidates) counts.set(item.name, (counts.get(item.name) ?? 0) + 1)
  return candidates.map((candidate) => ({
    ...candidate,
    tests: calls.filter((call) => call.names.has(candidate.function.name)).map((call) => call.test),
    sameName: counts.get(candidate.function.name) ?? 1,
  }))
}

/** What lies beside or below a library's or a program's root file; where that is the crate's own folder, without what cargo puts there. */
function ownSources(owner: Package): (path: string) => boolean {
  const folder = dirname(owner.manifest)
  const roots = owner.targets.filter(({ key }) => !key.startsWith('test:')).map(({ root }) => dirname(root))
  const below = (path: string, under: string) => under === '.' || path.startsWith(`${under}/`)
  return (path) => {
    const inside = folder === '.' ? path : path.slice(folder.length + 1)
    if (/^(tests|benches|examples|target)\/|^build\.rs$/.test(inside)) return false
    return below(path, folder) && roots.some((root) => below(path, root))
  }
}

type Call = { test: CargoTest; names: Set<string> }

function callsOf(
  parser: RustParser,
  owner: Package,
  files: SourceFile[],
  { target, names }: ListedTests,
): Call[] {
  const key = target.kind === 'lib' ? 'lib' : `${target.kind}:${target.name}`
  const root = owner.targets.find((item) => item.key === key)?.root
  if (root === undefined) return []
  const written = new Map<string, Set<string>>()
  const made = new Map<string, Set<string>>()
  for (const { path, source } of files.filter((file) => file.path.startsWith(`${dirname(root)}/`))) {
    const modules = modulesOf(root, path)
    for (const item of outline(parser, source).functions.filter((one) => one.isTest))
      written.set(
        [...modules, ...item.modulePath, item.name].join('::'),
        called(source.slice(item.bodyStart, item.bodyEnd)),
      )
    made.set(modules.join('::'), calledInMacros(source))
  }
  return names.map((name) => {
    const file = [...made.keys()]
      .filter((prefix) => prefix === '' || name.startsWith(`${prefix}::`))
      .sort((a, b) => b.length - a.length)[0]
    return { test: { name, target }, names: written.get(name) ?? made.get(file ?? '') ?? new Set() }
  })
}

/** The modules that a file's place gives it below a target's root file. */
export function modulesOf(root: string, path: string): string[] {
  if (path === root) return []
  const parts = path.slice(dirname(root).length + 1, -'.rs'.length).split('/')
  return parts.at(-1) === 'mod' ? parts.slice(0, -1) : parts
}

const tokensOf = (text: string): Token[] => {
  const tokens = lex(text)
  return isLexError(tokens) ? [] : tokens
}

/** Names directly before `(` or `::<`, methods included. */
function called(text: string): Set<string> {
  const tokens = tokensOf(text)
  return new Set(
    tokens.flatMap((token, at) => {
      const next = tokens[at + 1]
      const turbofish = next?.text === ':' && tokens[at + 3]?.text === '<'
      return token.kind === 'ident' && (next?.text === '(' || turbofish) ? [token.text] : []
    }),
  )
}

function calledInMacros(source: string): Set<string> {
  const definitions = source.match(/macro_rules!\s*\w+\s*\{[\s\S]*?\n\s{0,4}\}/g) ?? []
  return new Set(definitions.flatMap((text) => [...called(text)]))
}
