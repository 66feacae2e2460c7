import { readdir, readFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import type { Task } from '#shared/domain/suite.ts'
import { type BuildReport, tokenHistogram } from '#shared/tasks/report.ts'
import { groupsToHoldOut } from '#shared/tasks/split.ts'
import { loadSuite, type Suite } from '../runs/suites.ts'
import { previous, type SuiteFiles, writeSuiteFolder } from './suite-files.ts'

export type SplitRequest = {
  suite: string
  out: string
  /** Groups by name; else `share` of the tasks, in whole groups. */
  holdOut: string[]
  share: number
  seed: number
}
export type SplitReport = {
  heldOut: string[]
  sets: { set: 'train' | 'held-out'; path: string; version: string; tasks: number; groups: string[] }[]
}

/**
 * Two suites of one, in `train` and `held-out` below `out`, with no group in both. The original is left as it is.
 * @throws {AppError} `bad_suite`; `bad_input` for a group that is not there, or where there is only one.
 */
export async function splitSuite(request: SplitRequest): Promise<SplitReport> {
  const { out, seed, share } = request
  const suite = await loadSuite(request.suite)
  const sizes = new Map<string, number>()
  for (const task of suite.tasks) sizes.set(groupOf(task), (sizes.get(groupOf(task)) ?? 0) + 1)
  const groups = [...sizes.keys()]
  const strange = request.holdOut.find((group) => !sizes.has(group))
  if (strange !== undefined)
    throw new AppError(
      'bad_input',
      `--hold-out ${strange}: the suite has the groups ${groups.slice(0, 12).join(', ')}.`,
    )
  const heldOut = request.holdOut.length > 0 ? request.holdOut : groupsToHoldOut(sizes, share, seed)
  if (heldOut.length === 0 || heldOut.length === groups.length)
    throw new AppError(
      'bad_input',
      `Of ${groups.length} groups, ${heldOut.length} would be held out: a side would be empty.`,
      {
        hint: 'A split needs two groups at least; put suites of several crates or sources together first.',
      },
    )
  const held = new Set(heldOut)
  const sides = [
    ['train', suite.tasks.filter((task) => !held.has(groupOf(task)))],
    ['held-out', suite.tasks.filter((task) => held.has(groupOf(task)))],
  ] as const
  for (const [name] of sides) await previous(join(out, name))
  const sets: SplitReport['sets'] = []
  for (const [set, tasks] of sides) {
    const path = join(out, set)
    const { name, grader, language } = suite.manifest
    const own = [...new Set(tasks.map(groupOf))]
    const description = `${tasks.length} tasks of ${name} ${suite.manifest.version}, ${set === 'train' ? 'to train on' : 'held out'}: ${own.length} whole groups.`
    const files = await filesFor(suite, tasks, path)
    const { version } = await writeSuiteFolder(
      path,
      { name: `${name}-${set}`, grader, language, description },
      files,
    )
    sets.push({ set, path, version, tasks: tasks.length, groups: own })
  }
  return { heldOut, sets }
}

const groupOf = (task: Task): string =>
  typeof task.group === 'string' ? task.group : typeof task.crate === 'string' ? task.crate : 'none'

/** All that the suite has of these tasks: what judges a grader goes with them as well as what judges a body. */
async function filesFor(suite: Suite, tasks: readonly Task[], to: string): Promise<SuiteFiles> {
  const files: SuiteFiles = new Map()
  files.set('tasks.jsonl', tasks.map((task) => `${JSON.stringify(task)}\n`).join(''))
  const read = (path: string) => readFile(join(suite.path, path), 'utf8').catch(() => null)
  const take = async (path: string) => {
    const text = await read(path)
    if (text !== null) files.set(path, text)
  }
  for (const { id, reference } of tasks) {
    if (reference !== null) await take(reference)
    await take(`cases/${id}.jsonl`)
    const controls = `controls/${id}`
    for (const name of await readdir(join(suite.path, controls)).catch(() => []))
      await take(`${controls}/${name}`)
  }
  const [workspace, report] = [await read('workspace.json'), await read('build.json')]
  if (workspace !== null) files.set('workspace.json', movedWorkspace(workspace, suite.path, to))
  if (report !== null) files.set('build.json', reportOn(JSON.parse(report), tasks))
  return files
}

/** The same folder, as it is reached from there. */
function movedWorkspace(text: string, from: string, to: string): string {
  const file = JSON.parse(text) as { folder: string }
  return `${JSON.stringify({ ...file, folder: relative(to, resolve(from, file.folder)) })}\n`
}

/** What the build found out about these tasks alone. */
function reportOn(report: BuildReport, tasks: readonly Task[]): string {
  const prompts = tasks.flatMap(({ promptTokens }) => (typeof promptTokens === 'number' ? promptTokens : []))
  const own: BuildReport = {
    ...report,
    ...{ found: tasks.length, kept: tasks.length, dropped: [], memory: null },
    controls: Object.fromEntries(
      tasks.flatMap(({ id }) => (report.controls[id] ? [[id, report.controls[id]]] : [])),
    ),
    tokens: {
      ...report.tokens,
      histogram: tokenHistogram(prompts, report.tokens.cap),
      longest: prompts.length === 0 ? null : Math.max(...prompts),
    },
  }
  return `${JSON.stringify(own, null, 2)}\n`
}
