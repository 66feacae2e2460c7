import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { GraderKind, SuiteManifest } from '#shared/domain/suite.ts'
import { type BuildReport, tokenHistogram } from '#shared/tasks/report.ts'
import { gradeWords, type ProveDeps, prove } from '../prove.ts'
import { previous, type SuiteFiles, sha256, writeSuiteFolder } from '../suite-files.ts'
import { openTokenCounter, type TokenCounter } from '../tokens.ts'
import type { Item, ItemDrop, Reader } from './item.ts'
import { readPythonFunction, readStdioProgram } from './own-formats.ts'
import { dropOf, readItems } from './read-items.ts'
import { readUltraData } from './ultradata.ts'

export const formats = {
  ultradata: { read: readUltraData, grader: 'stdio' },
  stdio: { read: readStdioProgram, grader: 'stdio' },
  python: { read: readPythonFunction, grader: 'python-function' },
} as const satisfies Record<string, { read: Reader; grader: GraderKind }>
export type Format = keyof typeof formats

export type ImportRequest = {
  format: Format
  file: string
  out: string
  name: string
  tokenizer: string | null
  /** Null where prompts may be of any length. */
  cap: number | null
  /** How many tasks of each kind have the grader's controls run on them. */
  controls: number
}

/**
 * From a file of items to a suite folder. What a line says is taken as it is or not at all: nothing is repaired or labelled anew. An item with
 * a reference is kept only if that passes.
 * @throws {AppError} `bad_input` for a file that cannot be read, and what a verifier of our own says.
 */
export async function importTasks(request: ImportRequest, deps: ProveDeps): Promise<BuildReport> {
  const { format, file, out } = request
  await previous(out)
  const counter = await openTokenCounter(request.tokenizer)
  const { read, grader } = formats[format]
  const { items, dropped, found, sha256: hash, name } = await readItems(file, read)
  const counted = items.map((item) => ({ ...item, promptTokens: counter.count(item.prompt) }))
  const fitting = counted.filter((item) => request.cap === null || item.promptTokens <= request.cap)
  for (const item of counted)
    if (!fitting.includes(item))
      dropped.push(
        dropOf(
          item.id,
          item.line,
          'prompt_too_long',
          `${item.promptTokens} tokens, the cap is ${request.cap}`,
        ),
      )
  const identity = { name: request.name, grader, language: languageOf(fitting), description: '' }
  const proven = await crossCheck(fitting, identity, request.controls, deps)
  dropped.push(...proven.dropped)
  const report: BuildReport = {
    source: { kind: 'file', format, name, sha256: hash },
    found,
    kept: proven.items.length,
    dropped: dropped.sort((a, b) => a.line - b.line),
    thresholds: request.cap === null ? {} : { promptTokens: request.cap },
    crates: [],
    tests: null,
    tokens: tokensOf(counted, counter, request.cap),
    corpus: null,
    memory: null,
    controls: proven.controls,
    notes: proven.notes,
  }
  if (proven.items.length === 0) return report
  const files = filesOf(proven.items)
  files.set('build.json', `${JSON.stringify(report, null, 2)}\n`)
  const description = `${proven.items.length} tasks imported from ${name}.`
  await writeSuiteFolder(out, { ...identity, description }, files)
  return report
}

type Counted = Item & { promptTokens: number }

const tokensOf = (items: Counted[], counter: TokenCounter, cap: number | null): BuildReport['tokens'] => {
  const counts = items.map((item) => item.promptTokens)
  const longest = counts.reduce<number | null>((most, count) => Math.max(most ?? 0, count), null)
  return { by: counter.by, exact: counter.exact, cap, histogram: tokenHistogram(counts, cap), longest }
}

const languageOf = (items: readonly Item[]): SuiteManifest['language'] =>
  items.find((item) => item.language !== null)?.language ?? 'text'

function filesOf(items: readonly Counted[]): SuiteFiles {
  const files: SuiteFiles = new Map()
  const lines = items.map((item) => {
    const path =
      item.reference === null ? null : `reference/${item.id}${item.mode === 'answer' ? '.txt' : '.py'}`
    if (path !== null && item.reference !== null) files.set(path, item.reference)
    files.set(`cases/${item.id}.jsonl`, item.cases.map((one) => `${JSON.stringify(one)}\n`).join(''))
    const { id, prompt, signature, group, domain, line, promptTokens } = item
    return JSON.stringify({
      ...{ id, prompt, signature, reference: path },
      referenceSha256: item.reference === null ? null : sha256(item.reference),
      ...(item.mode === 'function' ? { function: item.function } : { mode: item.mode }),
      ...(item.mode === 'program' && { language: item.language }),
      ...{ group, domain, promptTokens, sourceLine: line },
    })
  })
  files.set('tasks.jsonl', lines.map((line) => `${line}\n`).join(''))
  return files
}

type Checked = { items: Counted[]; dropped: ItemDrop[]; notes: string[]; controls: BuildReport['controls'] }

/** Grades every program that is given as a reference, and runs the controls on a few of each kind: on all of a large set they would take days. */
async function crossCheck(
  items: Counted[],
  identity: Parameters<typeof writeSuiteFolder>[1],
  sample: number,
  deps: ProveDeps,
): Promise<Checked> {
  if (items.length === 0) return { items, dropped: [], notes: [], controls: {} }
  const bodies = items.flatMap(({ id, mode, reference }) =>
    mode === 'answer' || reference === null ? [] : [{ id, task: id, body: reference }],
  )
  const kinds = Map.groupBy(items, ({ mode, language, domain }) => `${mode} ${language} ${domain}`)
  const controlled = [...kinds.values()].flatMap((kind) => kind.slice(0, sample).map(({ id }) => id))
  const folder = join(deps.scratch, `task-draft-${randomUUID()}`)
  try {
    await writeSuiteFolder(folder, identity, filesOf(items))
    const proof = await prove(deps, folder, [], bodies, controlled)
    const dropped: ItemDrop[] = []
    const silent = bodies.filter(({ id }) => proof.grades.get(id)?.reward === null).length
    for (const { id, line } of items) {
      const grade = proof.grades.get(id)
      const control = proof.controls
        .get(id)
        ?.find(({ holds, got }) => !holds && !got.startsWith('unresolved'))
      if (grade && grade.reward !== null && grade.status !== 'passed')
        dropped.push(dropOf(id, line, 'reference_fails', gradeWords(grade)))
      else if (control)
        dropped.push(
          dropOf(
            id,
            line,
            'control_fails',
            `${control.control}: expected ${control.expected}, got ${control.got}`,
          ),
        )
    }
    const out = new Set(dropped.map(({ task }) => task))
    return {
      items: items.filter(({ id }) => !out.has(id)),
      dropped,
      controls: Object.fromEntries([...proof.controls].filter(([id]) => !out.has(id))),
      notes: [
        `The grader’s controls were run on ${controlled.length} of ${items.length} tasks; ${bodies.length} have a program for a reference, which was run.`,
        ...(silent > 0
          ? [`${silent} references could not be judged on this machine; their tasks were kept.`]
          : []),
      ],
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
