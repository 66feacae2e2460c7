import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import type { Task } from '#shared/domain/suite.ts'
import type { Handlers, PassRate, TaskPage, TaskRow, TaskSet } from '#shared/ipc/contract.ts'
import { difficultyOf } from '#shared/selection/difficulty.ts'
import type { BuildReport } from '#shared/tasks/report.ts'
import { loadSuite, type Suite, suiteRef } from '../runs/suites.ts'
import type { Store } from '../store/store.ts'
import { readSetList } from './set-list.ts'
import { testsOf } from './task-tests.ts'

export type TasksDeps = {
  store: Pick<Store, 'passRates'>
  /** Where a run's own copies of suites are kept, by their hash. */
  frozenSuites: string
  /** The list of suites that were made here. */
  list: string
  /** Suites that a launch offers. */
  offered: () => Promise<{ path: string }[]>
}

type TaskHandlers = Pick<Handlers, 'tasks.sets' | 'tasks.list' | 'tasks.get'>
type Rates = ReturnType<Store['passRates']>

/** Sets of tasks as the window shows them: a suite's own words, what its build found, and how runs met each task. */
export class TasksService {
  private readonly deps: TasksDeps

  constructor(deps: TasksDeps) {
    this.deps = deps
  }

  readonly handlers: TaskHandlers = {
    'tasks.sets': async () => {
      const paths = [
        ...(await readSetList(this.deps.list)).reverse(),
        ...(await this.deps.offered()).map(({ path }) => path),
      ]
      const sets: TaskSet[] = []
      for (const path of new Set(paths.map((one) => resolve(one)))) {
        // A folder that is gone or damaged must not hide the others.
        const suite = await loadSuite(path).catch(() => null)
        if (suite) sets.push(this.setOf(suite, await reportOf(path)))
      }
      return sets
    },
    'tasks.list': async ({ set }) => {
      const suite = await loadSuite(set)
      const report = await reportOf(set)
      const rates = this.deps.store.passRates(suite.manifest.name)
      return {
        set: this.setOf(suite, report),
        rows: suite.tasks.map((task) => rowOf(suite, task, report, rates)),
        dropped: report?.dropped ?? [],
        report,
      }
    },
    'tasks.get': async ({ set, task }) => this.page(await loadSuite(set), task),
  }

  private async page(suite: Suite, id: string): Promise<TaskPage> {
    const task = suite.tasks.find((one) => one.id === id)
    if (!task) throw new AppError('unknown_task', `The suite ${suite.manifest.name} has no task ${id}.`)
    const report = await reportOf(suite.path)
    const rates = this.deps.store.passRates(suite.manifest.name)
    return {
      set: this.setOf(suite, report),
      row: rowOf(suite, task, report, rates),
      language: typeof task.language === 'string' ? task.language : suite.manifest.language,
      prompt: task.prompt,
      signature: task.signature,
      body: task.reference === null ? null : await readFile(join(suite.path, task.reference), 'utf8'),
      ...testsOf(suite, task),
      controls: report?.controls?.[id] ?? [],
      history: rates
        .filter((rate) => rate.task === id)
        .map(({ run, version, phase, startedAt, passed, graded, silent }) => ({
          ...{ run, version, phase, passed, graded, silent },
          at: startedAt,
        })),
    }
  }

  private setOf(suite: Suite, report: BuildReport | null): TaskSet {
    const { grader, language, description, sha256 } = suite.manifest
    return {
      ...suiteRef(suite),
      ...{ grader, language, description },
      tasks: suite.tasks.length,
      frozen: existsSync(join(this.deps.frozenSuites, sha256)),
      found: report?.found ?? null,
      dropped: report?.dropped.length ?? null,
    }
  }
}

/** What the build left beside the tasks; it is part of the suite's digest, which was checked before. */
async function reportOf(path: string): Promise<BuildReport | null> {
  const text = await readFile(join(path, 'build.json'), 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as BuildReport)
}

function rowOf(suite: Suite, task: Task, report: BuildReport | null, rates: Rates): TaskRow {
  const own = rates.filter((rate) => rate.task === task.id)
  const initial = sumOf(own.filter(({ phase }) => phase === 'baseline'))
  const { tests, moreTests } = testsOf(suite, task)
  const controls = report?.controls?.[task.id]
  const number = (key: string) => (typeof task[key] === 'number' ? task[key] : null)
  const text = (key: string) => (typeof task[key] === 'string' ? task[key] : null)
  const confirmed = task.reference !== null && (controls?.every(({ holds }) => holds) ?? report !== null)
  return {
    task: task.id,
    group: text('group') ?? text('crate'),
    place: text('file') === null ? text('domain') : `${text('file')} ${text('function') ?? ''}`.trim(),
    tests: tests.filter(({ control }) => !control).length + moreTests,
    promptTokens: number('promptTokens'),
    logicLines: number('logicLines'),
    commits: number('commits'),
    buildMs: task.measured?.buildMs ?? null,
    testMs: task.measured?.testMs ?? null,
    controls: controls ? { held: controls.filter(({ holds }) => holds).length, of: controls.length } : null,
    initial,
    later: sumOf(own.filter(({ phase }) => phase !== 'baseline')),
    difficulty: initial === null ? 'unmeasured' : difficultyOf({ ...initial, confirmed }),
  }
}

function sumOf(rates: Rates): PassRate | null {
  if (rates.length === 0) return null
  const sum = (key: 'passed' | 'graded' | 'silent') => rates.reduce((all, rate) => all + rate[key], 0)
  return { passed: sum('passed'), graded: sum('graded'), silent: sum('silent') }
}
