import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import { promptOf } from '#shared/tasks/prompt.ts'
import { defaultThresholds } from '#shared/tasks/rules.ts'
import { digestOf } from '../../suite/load.ts'
import { confine } from './confinement.ts'
import { type MarkedTask, markedTasks } from './marked-tasks.ts'
import { outline } from './outline.ts'
import { loadRustParser, type RustParser } from './rust-parser.ts'
import { sha256 } from './site.ts'
import { findToolchain } from './toolchain.ts'
import { openWorkspace } from './workspace.ts'

export type SuiteRequest = {
  /** The workspace: a plain folder, without a repository. */
  folder: string
  suite: string
  scratch: string
  name: string
  version: string
  description: string
}

/** Writes a suite for a workspace that is a plain folder: a task for each marked function, with its own body as reference. */
export async function writeMarkedSuite(request: SuiteRequest): Promise<{ tasks: number }> {
  const toolchain = await findToolchain()
  const confinement = await confine(toolchain, `${request.scratch}/filters`)
  const source = { folder: request.folder, except: request.suite }
  const workspace = await openWorkspace(request.scratch, source, ['Cargo.toml'], {
    confinement,
    toolchain: toolchain.version,
  })
  const parser = await loadRustParser()
  const marked = await markedTasks(workspace, parser, 'Cargo.toml')
  const files = new Map<string, string>()
  for (const task of marked) files.set(`reference/${task.id}.rs`, bodyOf(task))
  files.set(
    'tasks.jsonl',
    marked.map((task) => `${JSON.stringify(lineOf(task, promptFor(task, marked, parser)))}\n`).join(''),
  )
  const pin = {
    folder: relative(request.suite, request.folder),
    sha256: workspace.commit.slice('tree:'.length),
  }
  files.set('workspace.json', `${JSON.stringify(pin)}\n`)
  const digest = digestOf(new Map([...files].map(([path, text]) => [path, Buffer.from(text)])))
  const { name, version, description } = request
  const manifest = { name, grader: 'cargo', version, sha256: digest, language: 'rust', description }
  files.set('suite.json', `${JSON.stringify(manifest, null, 2)}\n`)
  await rm(request.suite, { recursive: true, force: true })
  for (const [path, text] of files) {
    await mkdir(dirname(`${request.suite}/${path}`), { recursive: true })
    await writeFile(`${request.suite}/${path}`, text)
  }
  return { tasks: marked.length }
}

const bodyOf = (task: MarkedTask): string => task.source.slice(task.function.bodyStart, task.function.bodyEnd)

function lineOf(task: MarkedTask, prompt: string) {
  const body = bodyOf(task)
  return {
    id: task.id,
    prompt,
    signature: task.function.signature,
    reference: `reference/${task.id}.rs`,
    referenceSha256: sha256(body),
    sourceCommit: null,
    crate: task.crate,
    file: task.file,
    function: task.function.path,
    tests: task.tests,
    negativeControls: task.negativeControls,
  }
}

/** Tests are withheld; other held-out bodies of the file are taken out of what surrounds the function. */
function promptFor(task: MarkedTask, all: readonly MarkedTask[], parser: RustParser): string {
  const { crate, file, source: text } = task
  const { functions, testSpans } = outline(parser, text)
  const tests = functions.filter((item) => item.isTest)
  const heldOut = all.filter((other) => other.file === file).map((other) => other.function)
  const bodies = [...tests, ...heldOut].map(({ bodyStart, bodyEnd }) => ({ start: bodyStart, end: bodyEnd }))
  return promptOf(
    { crate, file, text, ...task.function },
    { contextLines: defaultThresholds.contextLines, hidden: [...testSpans, ...bodies], tests: [] },
  )
}
