import { join, resolve } from 'node:path'
import { canonicalJson } from '#shared/base/canonical.ts'
import { AppError } from '#shared/base/errors.ts'
import type {
  LaunchDraft,
  LaunchOptions,
  PreflightReport,
  PreflightRow,
  SuiteOption,
} from '#shared/ipc/contract.ts'
import { programs } from '../core/programs.ts'
import type { MutantsService } from '../mutants/mutants.ts'
import { readSetList } from '../tasks/set-list.ts'
import { defaultDraft, localBox, parseDraft, suitePath } from './draft.ts'
import { type LaunchContext, launch } from './launch.ts'
import { preflight } from './preflight/preflight.ts'
import { listSuites } from './suites.ts'

export type LauncherDeps = LaunchContext & {
  scratch: string
  madeSuites: string
  /** The list of suites that tasks were built into, wherever they are. */
  setList: string
  mutants: MutantsService
  env: NodeJS.ProcessEnv
  onRow: (row: PreflightRow) => void
}

/** Checks older than this are made anew before a launch: a disk fills, an interpreter is removed. */
const freshMs = 5 * 60_000

/** From a half-filled form to a started run. */
export class Launcher {
  private readonly deps: LauncherDeps
  private last: { key: string; at: number; report: PreflightReport } | null = null
  /** One set of checks at a time: each starts a verifier. */
  private queue: Promise<unknown> = Promise.resolve()

  constructor(deps: LauncherDeps) {
    this.deps = deps
  }

  async options(): Promise<LaunchOptions> {
    const suites = await this.suites()
    return {
      suites,
      defaults: defaultDraft(suites),
      boxes: [
        { kind: 'local', id: localBox, label: 'This machine' },
        ...this.deps.boxes.list().map(({ id, name }) => ({ kind: 'ssh' as const, id, label: name })),
      ],
    }
  }

  /** @throws {AppError} `bad_spec` where the form itself is wrong; what the machine lacks is in the rows. */
  async preflight(draft: unknown): Promise<PreflightReport> {
    return this.check(await this.resolve(draft))
  }

  /**
   * Launches, on the checks just made where they are for this very draft, else on new ones.
   * @throws {AppError} `bad_spec`, `preflight_failed`, `controls_failed` naming the row, or what the launch met.
   */
  async start(draft: unknown): Promise<string> {
    const resolved = await this.resolve(draft)
    const fresh = this.last?.key === keyOf(resolved) && Date.now() - this.last.at < freshMs
    const report = fresh && this.last ? this.last.report : await this.check(resolved)
    const failure = report.rows.find((row) => row.state === 'failed')
    if (failure) {
      const code = failure.check === 'controls' ? 'controls_failed' : 'preflight_failed'
      throw new AppError(
        code,
        `${failure.label}: ${failure.detail}`,
        failure.remedy ? { hint: failure.remedy } : {},
      )
    }
    return launch(this.deps, resolved, report.rows)
  }

  private check(draft: LaunchDraft): Promise<PreflightReport> {
    const checked = this.queue.then(async () => {
      const { home, scratch, ledger, boxes, clusters, env, onRow, mutants } = this.deps
      const report = await preflight({ home, scratch, ledger, boxes, clusters, env, onRow, mutants }, draft)
      this.last = { key: keyOf(draft), at: Date.now(), report }
      return report
    })
    this.queue = checked.catch(() => undefined)
    return checked
  }

  private async resolve(value: unknown): Promise<LaunchDraft> {
    const suites = await this.suites()
    const draft = parseDraft(value, defaultDraft(suites))
    return {
      ...draft,
      suite: suitePath(draft.suite, suites),
      audit: draft.audit === null ? null : suitePath(draft.audit, suites),
    }
  }

  private async suites(): Promise<SuiteOption[]> {
    const { env, madeSuites, setList } = this.deps
    const folders = [...suiteFolders(env), madeSuites, ...(await readSetList(setList))]
    const found = (await Promise.all(folders.map((folder) => listSuites(resolve(folder))))).flat()
    return [...new Map(found.map((suite) => [suite.path, suite])).values()]
  }
}

/** Folders of suite folders that a launch offers, besides those that the console made. */
export const suiteFolders = (env: NodeJS.ProcessEnv): string[] =>
  (env.RINGSIDE_SUITES ?? join(programs.demo, 'booking')).split(':')

/** What the checks depend on; a run's name or number of updates is not part of it. */
const keyOf = ({
  box,
  verifier,
  workers,
  suite,
  audit,
  source,
  overrides,
  pipeline,
  command,
  reach,
  groupSize,
  groupsPerStep,
  shaping,
}: LaunchDraft) =>
  canonicalJson({
    box,
    suite,
    audit,
    source,
    overrides,
    reach,
    own: command === null,
    ...(verifier.kind === 'cluster' && { verifier, workers }),
    ...(pipeline !== null && { pipeline, groupSize, groupsPerStep, shaping }),
  })
