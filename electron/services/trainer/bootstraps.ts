import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Disposable } from '#shared/base/disposable.ts'
import { AppError, toAppError } from '#shared/base/errors.ts'
import { BootstrapStatus, type BootstrapView } from '#shared/ipc/bootstrap.ts'
import type { Handlers } from '#shared/ipc/contract.ts'
import type { Boxes } from '../box/ssh/boxes.ts'
import { remoteModule } from '../box/ssh/remote-module.ts'
import { localBox } from '../runs/draft.ts'
import { lastSaid, localModule, type TrainerModule } from './module.ts'

/** A wheel of PyTorch is some GB; on a slow line that takes hours. What is cut goes on at the next start. */
const limitMs = 6 * 3_600_000
const askMs = 60_000
/** How often what is waited for (a GPU, a quota) is looked for again. */
const lookEveryMs = 60_000
/** Exit code of a bootstrap that still waits. */
const waiting = 75

type BootstrapOptions = {
  boxes: Boxes
  env: NodeJS.ProcessEnv
  /** The console's data folder; on this machine the environment lies in it. */
  home: string
  onChange: (box: string) => void
}

type Job = { ended: AbortController; end: Promise<void> }

/** Makes boxes ready for the pipeline's trainer. What was done is kept on the box; this only starts it, looks again, and tells. */
export class Bootstraps implements Disposable {
  private readonly options: BootstrapOptions
  private readonly jobs = new Map<string, Job>()
  private readonly faults = new Map<string, string | null>()

  constructor(options: BootstrapOptions) {
    this.options = options
  }

  get handlers(): Pick<Handlers, 'bootstrap.get' | 'bootstrap.start' | 'bootstrap.stop'> {
    return {
      'bootstrap.get': ({ box }) => this.view(box),
      'bootstrap.start': async ({ box, wheels, model }) => {
        const { id, home } = await this.place(box)
        const args = ['--home', home]
        if (wheels !== null) args.push('--wheels', wheels)
        if (model !== null) args.push('--model', model)
        if (!this.jobs.has(id)) this.begin(id, args)
        return this.view(id)
      },
      'bootstrap.stop': async ({ box }) => {
        const { id } = await this.place(box)
        const job = this.jobs.get(id)
        job?.ended.abort()
        await job?.end
        return this.view(id)
      },
    }
  }

  async dispose(): Promise<void> {
    const jobs = [...this.jobs.values()]
    for (const { ended } of jobs) ended.abort()
    await Promise.all(jobs.map(({ end }) => end))
  }

  private begin(box: string, args: string[]): void {
    const ended = new AbortController()
    this.faults.delete(box)
    const end = this.work(box, args, ended.signal)
      .catch((failure: unknown) => {
        if (!ended.signal.aborted) this.faults.set(box, toAppError(failure).message)
      })
      .finally(() => {
        this.jobs.delete(box)
        this.options.onChange(box)
      })
    this.jobs.set(box, { ended, end })
  }

  private async work(box: string, args: string[], signal: AbortSignal): Promise<void> {
    const { module } = await this.place(box)
    while (!signal.aborted) {
      const { code, stdout, stderr } = await module('bootstrap', args, { limitMs, signal })
      if (code !== waiting) {
        // A step that failed says so itself; a program that could not even begin does not.
        if (code !== 0 && stdout.trim() === '')
          throw new AppError('unresolved', lastSaid(stderr, 'it said nothing'))
        return
      }
      this.options.onChange(box)
      await paused(lookEveryMs, signal)
    }
  }

  private async view(box: string): Promise<BootstrapView> {
    const { id, home, module } = await this.place(box)
    const { code, stdout, stderr } = await module('bootstrap', ['--home', home, '--status'], {
      limitMs: askMs,
    })
    if (code !== 0) throw new AppError('unresolved', lastSaid(stderr, 'it said nothing'))
    const status = BootstrapStatus.parse(JSON.parse(stdout))
    return { ...status, box: id, going: this.jobs.has(id), fault: this.faults.get(id) ?? null }
  }

  /** @throws {AppError} `not_found` for a box that the console does not know. */
  private async place(box: string): Promise<{ id: string; home: string; module: TrainerModule }> {
    const { boxes, env, home } = this.options
    if (box === localBox) return { id: box, home: join(home, 'trainer'), module: localModule(env) }
    const { id } = boxes.find(box)
    const root = await boxes.root(id)
    return { id, home: `${root}/trainer`, module: remoteModule(boxes.link(id), async () => root) }
  }
}

const paused = (ms: number, signal: AbortSignal): Promise<unknown> =>
  setTimeout(ms, null, { signal }).catch(() => null)
