import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { GradeLine } from '#shared/domain/grade.ts'
import type { ControlResult } from '#shared/domain/verifier.ts'
import type { Thresholds } from '#shared/tasks/rules.ts'
import { type CargoTest, targetKey } from '#shared/tasks/survey.ts'
import type { Drop } from './candidates.ts'
import { cargoSuiteFiles, type Draft } from './cargo-suite.ts'
import { constantBodies } from './constants.ts'
import { gradeWords, type Proof, type ProveDeps, prove } from './prove.ts'
import { writeSuiteFolder } from './suite-files.ts'

type Where = { repo: string; limits: Thresholds }
type Proven = { tasks: Draft['tasks']; dropped: Drop[] }

const failing = '{ panic!("a body that fails") }'

/**
 * What a test's text names is one thing, what it runs another: with a body that only fails, a test that calls the function fails. In an
 * unmarked workspace the tests that still pass are taken from the task; a task that has none left that names it and fails is none.
 */
export async function proveCalls(draft: Draft, where: Where, deps: ProveDeps): Promise<Proven> {
  const bodies = draft.tasks.flatMap(({ id, body }) => [
    { id: `${id}/reference`, task: id, body },
    { id: `${id}/failing`, task: id, body: failing },
  ])
  const { grades } = await proveDraft(draft, where, deps, bodies, [])
  const tasks: Draft['tasks'] = []
  const dropped: Drop[] = []
  for (const task of draft.tasks) {
    const drop = (reason: Drop['reason'], detail: string) => dropped.push({ task: task.id, reason, detail })
    const own = grades.get(`${task.id}/reference`)
    if (own?.status !== 'passed') {
      drop('reference_fails', gradeWords(own))
      continue
    }
    const grade = grades.get(`${task.id}/failing`)
    const fails = (test: CargoTest) =>
      outcomeOf(grade, test) === 'failed' || outcomeOf(grade, test) === 'crashed'
    // Where the type is hidden behind `impl` a body that only fails does not compile, and the names alone must do.
    const callers = grade?.status === 'build_failed' ? task.callers : task.callers.filter(fails)
    if (callers.length === 0)
      drop('no_test_calls_it', 'every test that names it passes with a body that only fails')
    else tasks.push(task.marked ? { ...task, callers } : { ...task, callers, tests: callers })
  }
  return { tasks, dropped }
}

/** Measures each task's own body, and keeps it where every control holds and no constant passes. */
export async function proveTasks(
  draft: Draft,
  where: Where,
  deps: ProveDeps,
): Promise<Proven & { controls: Record<string, ControlResult[]> }> {
  const bodies = draft.tasks.flatMap(({ id, body, returnType }) => [
    { id: `${id}/reference`, task: id, body },
    ...constantBodies(returnType).map((text, at) => ({ id: `${id}/constant/${at}`, task: id, body: text })),
  ])
  const ids = draft.tasks.map(({ id }) => id)
  const proof = await proveDraft(draft, where, deps, bodies, ids)
  const tasks: Draft['tasks'] = []
  const dropped: Drop[] = []
  for (const task of draft.tasks) {
    const own = proof.grades.get(`${task.id}/reference`)
    const constant = bodies.find(
      (item) =>
        item.task === task.id &&
        item.id.includes('/constant/') &&
        proof.grades.get(item.id)?.status === 'passed',
    )
    const found =
      slowness(own, where.limits) ??
      controlDrop(proof.controls.get(task.id) ?? []) ??
      (constant && (['constant_body_passes', constant.body] as const))
    if (found) dropped.push({ task: task.id, reason: found[0], detail: found[1] })
    else tasks.push({ ...task, measured: { buildMs: own?.buildMs ?? null, testMs: own?.testMs ?? null } })
  }
  const kept = new Set(tasks.map(({ id }) => id))
  return { tasks, dropped, controls: Object.fromEntries([...proof.controls].filter(([id]) => kept.has(id))) }
}

type Why = readonly [Drop['reason'], string]

function slowness(own: GradeLine | undefined, limits: Thresholds): Why | null {
  if (own?.status !== 'passed') return ['reference_fails', gradeWords(own)]
  const over = (reason: Drop['reason'], ms: number | null, limit: number): Why | null =>
    ms !== null && ms > limit ? [reason, `${Math.round(ms)} ms, the limit is ${limit} ms`] : null
  return over('slow_build', own.buildMs, limits.buildMs) ?? over('slow_tests', own.testMs, limits.testMs)
}

function controlDrop(controls: readonly ControlResult[]): Why | null {
  const broken = controls.find(({ holds }) => !holds)
  if (!broken) return controls.length === 0 ? ['control_fails', 'no control ran'] : null
  const detail = `${broken.control}: expected ${broken.expected}, got ${broken.got}`
  if (broken.got.startsWith('passed') && broken.control === 'empty') return ['empty_body_passes', detail]
  if (broken.got.startsWith('passed') && broken.control === 'constant')
    return ['constant_body_passes', detail]
  return ['control_fails', detail]
}

function outcomeOf(grade: GradeLine | undefined, test: CargoTest): string | null {
  const name = targetKey(test.target) === 'lib' ? test.name : `${test.target.name}::${test.name}`
  return grade?.tests.find((one) => one.name === name)?.outcome ?? null
}

/** A verifier on the draft as it is; nothing is asked where there is nothing to ask. */
async function proveDraft(
  draft: Draft,
  { repo }: Where,
  deps: ProveDeps,
  bodies: Parameters<typeof prove>[3],
  controlled: string[],
): Promise<Proof> {
  if (bodies.length === 0) return { grades: new Map(), controls: new Map() }
  const folder = join(deps.scratch, `task-draft-${randomUUID()}`)
  const identity = { name: 'draft', grader: 'cargo', language: 'rust', description: '' } as const
  try {
    await writeSuiteFolder(folder, identity, cargoSuiteFiles(draft))
    return await prove(deps, folder, ['--repo', repo, '--commit', draft.survey.commit], bodies, controlled)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
