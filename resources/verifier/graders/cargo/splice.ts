import { AppError } from '#shared/base/errors.ts'
import { asBlock, type Block, isBlockProblem } from '#shared/splice/block.ts'
import { checkBody, namesPaths, type Surroundings } from '#shared/splice/check-body.ts'
import { isLexError, lex } from '#shared/splice/lexer.ts'
import { type Finding, policy } from '#shared/splice/policy.ts'
import type { Token } from '#shared/splice/token.ts'
import { importsOf } from '#shared/splice/use-tree.ts'
import { type FunctionOutline, outline } from './outline.ts'
import type { RustParser } from './rust-parser.ts'
import type { CargoTask } from './task.ts'

/** A task's function in its file, and everything a body is judged by. */
export type Site = {
  source: string
  function: FunctionOutline
  reference: Block
  around: Surroundings
  rawCStrings: boolean
}

export type Spliced =
  | { ok: true; source: string; block: Block }
  | { ok: false; status: 'build_failed' | 'tampered'; reason: string; detail: string }

/** The one function `task` names. @throws AppError `bad_suite` where there is none or more than one that could be meant. */
export function findFunction(parser: RustParser, source: string, task: CargoTask): FunctionOutline {
  const found = outline(parser, source).functions.filter((item) => item.path === task.function)
  const marked = found.filter((item) => item.marks.some((mark) => mark.ids.includes(task.id)))
  const [only, ...others] = marked.length > 0 ? marked : found
  if (!only || others.length > 0)
    throw new AppError(
      'bad_suite',
      `Task ${task.id}: ${task.file} has ${found.length} functions \`${task.function}\`.`,
    )
  return only
}

export function readBlock(text: string, rawCStrings: boolean, what: string): Block {
  const block = asBlock(text, { rawCStrings })
  if (isBlockProblem(block)) throw new AppError('bad_suite', `${what} is not one block: ${block.message}.`)
  return block
}

/** What one file gives to names in other files of its crate, and in its own outside the given function's body. */
export type FileFacts = Pick<Surroundings, 'imports' | 'handlesPaths'> & {
  modules: string[]
  testModules: string[]
}

export function fileFacts(parser: RustParser, source: string, except: FunctionOutline | null): FileFacts {
  const { modules, testModules } = outline(parser, source)
  const tokens = outsideBody(source, except)
  return { modules, testModules, imports: importsOf(tokens), handlesPaths: namesPaths(tokens) }
}

/** What the crate's files give to a body's names. */
export function surroundings(own: FileFacts, others: FileFacts[], target: FunctionOutline): Surroundings {
  const all = [own, ...others]
  return {
    imports: own.imports,
    crateImports: others.flatMap((file) => file.imports),
    modules: new Set(all.flatMap((file) => file.modules)),
    testModules: new Set(all.flatMap((file) => file.testModules)),
    handlesPaths: own.handlesPaths,
    returnsImpl: target.returnsImpl,
  }
}

function outsideBody(source: string, target: FunctionOutline | null): Token[] {
  const tokens = lex(source)
  if (isLexError(tokens)) return []
  return target
    ? tokens.filter((token) => token.start < target.bodyStart || token.start >= target.bodyEnd)
    : tokens
}

/**
 * Puts `body` in the place of the function's own. Refused where it is not one block, where it does what the policy forbids, and where the
 * file's other functions do not stand as before; a body whose block the grammar cannot read is left to the compiler, which knows newer
 * syntax: what keeps it inside the function does not rest on the grammar.
 * @param checked false leaves the policy out, to test what else would stop a body.
 */
export function splice(parser: RustParser, site: Site, body: string, checked = true): Spliced {
  if (!body.isWellFormed())
    return refused('build_failed', 'not_unicode', 'The body holds half a surrogate pair.')
  const block = asBlock(body, { rawCStrings: site.rawCStrings })
  if (isBlockProblem(block)) {
    const leaves = block.code === 'leaves_function' && /[^\s})\];]/.test(body.slice(block.at))
    const detail = `At ${place(body, block.at)}: ${block.message}.`
    return leaves
      ? refused('tampered', 'leaves_function', detail)
      : refused('build_failed', block.code === 'too_deep' ? 'too_deep' : 'not_one_block', detail)
  }
  const findings = !checked ? [] : checkBody(block.tokens, site.around, site.reference.tokens)
  const [first] = findings
  if (first)
    return refused('tampered', first.rule, findings.map((item) => explain(block.text, item)).join('\n'))
  const { bodyStart, bodyEnd } = site.function
  const source = site.source.slice(0, bodyStart) + block.text + site.source.slice(bodyEnd)
  if (!sameOutline(parser, site, source, block.text.length))
    return refused(
      'tampered',
      'leaves_function',
      'With the body in place the file has other functions than before.',
    )
  return { ok: true, source, block }
}

function sameOutline(parser: RustParser, site: Site, source: string, length: number): boolean {
  const after = outline(parser, source)
  if (after.hasError) return true
  const shape = (functions: FunctionOutline[]) =>
    functions.map((item) => `${item.path} ${item.signature}`).join('\n')
  const target = after.functions.find((item) => item.start === site.function.start)
  const inPlace =
    target?.bodyStart === site.function.bodyStart && target.bodyEnd === target.bodyStart + length
  return inPlace && shape(after.functions) === shape(outline(parser, site.source).functions)
}

const refused = (status: 'build_failed' | 'tampered', reason: string, detail: string): Spliced => ({
  ok: false,
  status,
  reason,
  detail,
})

function place(text: string, at: number): string {
  const lines = text.slice(0, at).split('\n')
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
}

const explain = (text: string, { rule, key, at }: Finding) =>
  `At ${place(text, at)}: ${rule} (${key}). ${policy[rule]}`
