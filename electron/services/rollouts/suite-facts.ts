import { readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { SuiteRef } from '#shared/domain/run.ts'
import type { CaseFacts } from '#shared/ipc/contract.ts'
import { loadSuite, type Suite } from '../runs/suites.ts'

export type TaskFacts = {
  prompt: string
  language: string
  reference: string | null
  cases: CaseFacts
  path: string | null
}

const none: TaskFacts = { prompt: '', language: 'text', reference: null, cases: {}, path: null }

/** What a suite says of a task, for reading beside a rollout. A suite that is gone or was changed since has nothing to say. */
export class SuiteFacts {
  private readonly suites = new Map<string, Promise<Suite | null>>()

  async of(ref: SuiteRef | null | undefined, taskId: string): Promise<TaskFacts> {
    if (!ref) return none
    const suite = await this.suite(ref)
    const task = suite?.tasks.find((one) => one.id === taskId)
    if (!suite || !task) return none
    const path = task.reference === null ? null : join(suite.path, task.reference)
    const isInside = path?.startsWith(suite.path + sep) ?? false
    return {
      prompt: task.prompt,
      language: suite.manifest.language,
      reference: path && isInside ? await readFile(path, 'utf8').catch(() => null) : null,
      cases: Object.fromEntries(
        (suite.cases.get(task.id) ?? []).map(({ id, family, input }) => [id, { family, input }]),
      ),
      path,
    }
  }

  /** By content: the same suite is hashed and read once. A failure is not remembered, as the folder may come back. */
  private suite(ref: SuiteRef): Promise<Suite | null> {
    const known = this.suites.get(ref.sha256)
    if (known) return known
    const loading = loadSuite(ref.path)
      .then((suite) => (suite.manifest.sha256 === ref.sha256 ? suite : null))
      .catch(() => null)
    this.suites.set(ref.sha256, loading)
    void loading.then((suite) => suite === null && this.suites.delete(ref.sha256))
    return loading
  }
}
