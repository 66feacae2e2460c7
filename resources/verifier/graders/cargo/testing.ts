import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { digestOf, loadSuite } from '../../suite/load.ts'
import type { Grader, GraderOptions, Slot, Verdict } from '../grader.ts'
import { openCargoGrader } from './grader.ts'

export const demoFolder = join(import.meta.dirname, '../../../demo/rust')
export const demoSuite = `${demoFolder}/suite`

export const tempFolder = (): { path: string; remove: () => void } => {
  const path = mkdtempSync(join(tmpdir(), 'ringside-cargo-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

export type OpenGrader = {
  grader: Grader
  slots: Slot[]
  scratch: string
  logs: string[]
  close(): Promise<void>
}

/** A grader on the demo suite, or another, with its slots open, in a temporary folder that `close` removes. */
export async function openDemo(
  workers: number,
  options: Partial<GraderOptions> & { suite?: string } = {},
): Promise<OpenGrader> {
  const temp = tempFolder()
  const logs: string[] = []
  const { suite = demoSuite, ...others } = options
  try {
    const grader = await openCargoGrader(loadSuite(suite), {
      suiteFolder: suite,
      scratch: temp.path,
      repo: null,
      commit: null,
      workspace: null,
      diskLimitBytes: null,
      log: (text) => logs.push(text),
      ...others,
    })
    const scratch = others.scratch ?? temp.path
    const slots = await grader.open(workers)
    const close = async () => {
      for (const slot of slots) await slot.dispose()
      await grader.dispose()
      temp.remove()
    }
    return { grader, slots, scratch, logs, close }
  } catch (failure) {
    temp.remove()
    throw failure
  }
}

export function gradeIn(slot: Slot | undefined, task: string, body: string): Promise<Verdict> {
  if (!slot) throw new Error('no slot')
  return slot.grade({ task, body, bodySha256: '', signal: new AbortController().signal })
}

export const referenceOf = (task: string): string => readFileSync(`${demoSuite}/reference/${task}.rs`, 'utf8')

/** The demo workspace as a repository of its own. @returns its folder and the commit. */
export function demoRepository(change: (folder: string) => void = () => {}): {
  repo: string
  commit: string
  remove: () => void
} {
  const temp = tempFolder()
  cpSync(demoFolder, temp.path, { recursive: true })
  change(temp.path)
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', temp.path, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      encoding: 'utf8',
    })
  git('init', '-q')
  git('add', '-A')
  git('commit', '-q', '-m', 'demo')
  return { repo: temp.path, commit: git('rev-parse', 'HEAD').trim(), remove: temp.remove }
}

type TaskLine = {
  id: string
  tests: { name: string; target: { kind: string; name: string } }[]
  [key: string]: unknown
}

/** The demo suite with its tasks changed, as a new frozen one in a temporary folder. */
export function changedSuite(change: (tasks: TaskLine[]) => TaskLine[]): {
  suite: string
  remove: () => void
} {
  const temp = tempFolder()
  cpSync(demoSuite, temp.path, { recursive: true })
  const lines = readFileSync(`${demoSuite}/tasks.jsonl`, 'utf8').trimEnd().split('\n')
  const tasks = change(lines.map((line) => JSON.parse(line)))
  writeFileSync(`${temp.path}/tasks.jsonl`, tasks.map((task) => `${JSON.stringify(task)}\n`).join(''))
  const pin = JSON.parse(readFileSync(`${demoSuite}/workspace.json`, 'utf8'))
  writeFileSync(`${temp.path}/workspace.json`, JSON.stringify({ ...pin, folder: demoFolder }))
  const files = readdirSync(temp.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'suite.json')
    .map((entry) => join(entry.parentPath, entry.name))
  const digest = digestOf(
    new Map(files.map((path) => [path.slice(temp.path.length + 1), readFileSync(path)])),
  )
  const manifest = JSON.parse(readFileSync(`${demoSuite}/suite.json`, 'utf8'))
  writeFileSync(`${temp.path}/suite.json`, JSON.stringify({ ...manifest, sha256: digest }))
  return { suite: temp.path, remove: temp.remove }
}

export type BodyCase = { name: string; task: string; kind: string; body: string }

/** Reads a file of bodies: a line `=== name | task | kind` before each. */
export function readBodies(file: string): BodyCase[] {
  const text = readFileSync(`${import.meta.dirname}/fixtures/${file}`, 'utf8')
  return text
    .split(/^=== /m)
    .slice(1)
    .map((part) => {
      const [head = '', ...lines] = part.split('\n')
      const [name = '', task = '', kind = ''] = head.split('|').map((item) => item.trim())
      return { name, task, kind, body: lines.join('\n').trimEnd() }
    })
}
