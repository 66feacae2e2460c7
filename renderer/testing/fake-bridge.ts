import { Emitter } from '#shared/base/emitter.ts'
import { AppError } from '#shared/base/errors.ts'
import { attempt, type Result } from '#shared/base/result.ts'
import type { TeardownReport } from '#shared/domain/lease.ts'
import {
  type Bridge,
  type BridgeEvents,
  type EventName,
  type Handlers,
  type Input,
  inputs,
  type LaunchDraft,
  type Outputs,
  type RequestName,
  type RunSummary,
} from '#shared/ipc/contract.ts'
import { fakeAdapterHandlers } from './fake-adapters.ts'
import { fakeAudit } from './fake-audit.ts'
import { fakeBootstrapHandlers } from './fake-bootstrap.ts'
import { fakeBoxes, fakeShell } from './fake-boxes.ts'
import { fakeClusters } from './fake-clusters.ts'
import { fakeSeries } from './fake-compare.ts'
import type { FakeCore } from './fake-core.ts'
import { fakeStart } from './fake-journal.ts'
import { fakeOptions, fakePreflight } from './fake-launch.ts'
import { fakeDetail, fakeNearest, fakeNeighbour, fakePage, fakeRows } from './fake-rows.ts'
import { fakeTaskHandlers } from './fake-tasks.ts'
import { fakeTriage } from './fake-triage.ts'
import { fakeWorkshop } from './fake-workshop.ts'

export type FakeOptions = { others?: RunSummary[]; noRuns?: boolean; onLaunch?: () => void }

/** A whole core in memory, for development and tests: the same answers at the same time of its run, and nothing left behind. */
export class FakeBridge implements Bridge {
  readonly core: FakeCore
  readonly requests: string[] = []
  private readonly options: FakeOptions
  private settings: Outputs['settings.get'] = {
    theme: 'system',
    board: { order: [], hidden: [], large: null },
    notify: false,
    rates: {},
  }
  private launched = false
  private readonly emitters = new Map<EventName, Emitter<never>>()
  private readonly handlers: Handlers

  constructor(core: FakeCore, options: FakeOptions = {}) {
    this.core = core
    this.options = options
    this.handlers = this.makeHandlers()
    core.onDidAdvance.on(({ seq }) => {
      this.emit('run.advanced', { run: core.spec.run, seq })
      this.emit('runs.changed', {})
      this.emit('audit.advanced', { run: core.spec.run })
      for (const stream of ['trainer', 'verifier'] as const)
        this.emit('log.advanced', { run: core.spec.run, stream, size: this.logText(stream).length })
    })
  }

  async request<N extends RequestName>(name: N, input: unknown): Promise<Result<Outputs[N]>> {
    this.requests.push(name)
    return attempt(async () => {
      const parsed = inputs[name].safeParse(input)
      if (!parsed.success) throw new AppError('bad_input', `${name}: ${parsed.error.issues[0]?.message}`)
      const handler = this.handlers[name] as (input: unknown) => Outputs[N] | Promise<Outputs[N]>
      return structuredClone(await handler(parsed.data))
    })
  }

  on<E extends EventName>(name: E, listener: (payload: BridgeEvents[E]) => void): () => void {
    const emitter = this.emitters.get(name) ?? new Emitter<never>()
    this.emitters.set(name, emitter)
    return (emitter as unknown as Emitter<BridgeEvents[E]>).on(listener)
  }

  emit<E extends EventName>(name: E, payload: BridgeEvents[E]): void {
    const emitter = this.emitters.get(name) as Emitter<BridgeEvents[E]> | undefined
    emitter?.emit(payload)
  }

  private makeHandlers(): Handlers {
    const { core } = this
    return {
      'app.info': () => appInfo,
      'settings.get': () => this.settings,
      'settings.set': ({ theme, board, notify, rates }) => {
        const held = this.settings
        this.settings = {
          theme: theme ?? held.theme,
          board: board ?? held.board,
          notify: notify ?? held.notify,
          rates: rates ?? held.rates,
        }
        return this.settings
      },
      'runs.list': () =>
        this.options.noRuns && !this.launched ? [] : [core.summary(), ...(this.options.others ?? [])],
      'runs.state': () => ({ state: core.state, summary: core.summary(), spec: core.spec }),
      'runs.import': () => ({ run: core.spec.run, from: 'TRL', steps: 3, rollouts: 0, notes: [] }),
      'runs.stop': ({ mode }) => {
        core.stopped = mode
        return { requested: true as const }
      },
      ...fakeAdapterHandlers(),
      ...fakeBootstrapHandlers(),
      ...fakeTaskHandlers,
      ...fakeBoxes((box) => this.emit('boxes.changed', { box })),
      ...fakeClusters(
        () => core.state.startedAt ?? new Date(core.nowMs).toISOString(),
        () => this.emit('clusters.changed', { run: null }),
      ),
      'launch.options': () => fakeOptions,
      ...fakeShell((shell) => this.emit('shell.advanced', { shell })),
      'launch.preflight': ({ draft }) => this.preflight(draft as LaunchDraft),
      'launch.start': ({ draft }) => this.start(draft as LaunchDraft),
      'live.since': ({ run, afterSeq }) => core.deltaOf(run, afterSeq),
      'alarms.mark': ({ run: _, ...mark }) => {
        core.markAlarm(mark)
        return { recorded: true as const }
      },
      'compare.series': ({ runs, metric }) => runs.map((run) => fakeSeries(core, run, metric)),
      'rollouts.page': (input) => fakePage(core, input),
      'rollouts.neighbour': (input) => fakeNeighbour(core, input),
      'rollouts.get': ({ rollout }) => fakeDetail(core, rollout),
      'rollouts.nearest': ({ rollout }) => fakeNearest(core, rollout),
      'evidence.get': ({ sha256 }) => ({ json: JSON.stringify({ v: 1, sha256 }) }),
      'audit.get': () => fakeAudit(core),
      'audit.start': ({ share }) => {
        core.auditShare = share
        this.emit('audit.advanced', { run: core.spec.run })
        return { started: true }
      },
      'audit.verdict': ({ bodySha256, verdict, note }) => {
        core.verdicts.set(bodySha256, { verdict, note })
        return { recorded: true as const }
      },
      'audit.queue': (input) => fakeTriage(core, input),
      ...fakeWorkshop(core, () => this.emit('audit.advanced', { run: core.spec.run })),
      'logs.read': (input) => this.readLog(input),
      'teardown.plan': () => teardown(core.tornDown ? 'done' : 'plan'),
      'teardown.run': () => this.tearDown(),
      'export.rollouts': ({ filter }) => {
        const rows = fakeRows(core, filter)
        return { jsonl: rows.map((row) => `${JSON.stringify(row)}\n`).join(''), rows: rows.length }
      },
    }
  }

  private async preflight(draft: LaunchDraft) {
    const report = fakePreflight(draft)
    for (const row of report.rows) {
      this.emit('preflight.row', { row: { ...row, state: 'running', detail: '', remedy: null, ms: null } })
      await new Promise((resolve) => setTimeout(resolve, Math.min(row.ms ?? 0, 250)))
      this.emit('preflight.row', { row })
    }
    return report
  }

  private start(draft: LaunchDraft) {
    if (fakePreflight(draft).verdict === 'failed')
      throw new AppError('preflight_failed', 'One check failed, so nothing was started.')
    this.launched = true
    this.options.onLaunch?.()
    this.emit('runs.changed', {})
    return { run: this.core.spec.run }
  }

  private logText(stream: string): string {
    const limit = this.core.nowMs - fakeStart
    return this.core.journal.logs
      .filter((line) => line.stream === stream && line.atMs <= limit)
      .map((line) => line.text)
      .join('')
  }

  private readLog({ stream, offset, limit }: Input<'logs.read'>): Outputs['logs.read'] {
    const text = this.logText(stream)
    const bytes = text.slice(offset, offset + limit)
    return {
      bytesBase64: btoa(bytes),
      offset,
      end: offset + bytes.length,
      size: text.length,
      lastAt: this.core.state.lastAt,
    }
  }

  private tearDown(): TeardownReport {
    const report = teardown('done')
    for (const { label } of report.released)
      this.emit('teardown.row', { run: this.core.spec.run, label, state: 'released' })
    this.core.tornDown = true
    this.emit('runs.changed', {})
    return report
  }
}

const appInfo: Outputs['app.info'] = {
  version: '0.1.0',
  shell: 'browser',
  dataDir: '/data',
  platform: 'linux',
  node: '24.22.3',
  python: { path: '/usr/bin/python3', version: '3.12.4' },
  isolation: { level: 'sandbox', detail: 'bubblewrap' },
}

function teardown(state: 'plan' | 'done'): TeardownReport {
  const rows = (
    [
      [
        'process',
        'trainer',
        { pid: 4719, startedAt: '2026-11-29T09:12:00Z' },
        'no process 4719 since 09:16:02',
      ],
      [
        'process',
        'verifier',
        { pid: 5120, startedAt: '2026-11-29T09:14:31Z' },
        'no process 5120 since 09:16:03',
      ],
      ['port', 'verifier’s port', { port: 40211 }, 'nothing listens on 40211'],
      ['folder', 'box folder', { path: '/data/boxes/local/r-20261129-7k2m4q' }, 'the folder is gone'],
    ] as const
  ).map(([kind, label, identity, proof], index) => ({
    lease: `l-${index}`,
    kind,
    label,
    identity,
    action: 'release' as const,
    proof: state === 'done' ? proof : null,
  }))
  return state === 'plan' ? { plan: rows, released: [], left: [] } : { plan: rows, released: rows, left: [] }
}
