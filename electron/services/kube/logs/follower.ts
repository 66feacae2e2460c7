import { setTimeout as sleep } from 'node:timers/promises'
import type { Disposable } from '#shared/base/disposable.ts'
import { toAppError } from '#shared/base/errors.ts'
import type { KubeClient } from '../client.ts'
import { ContainerLog, type KnownLog, type LogMark, type LogSource } from './container-log.ts'
import type { LogLine } from './line.ts'
import { Merge } from './merge.ts'
import { listPods } from './pod-status.ts'

export type LogFollowerOptions = {
  client: KubeClient
  namespace: string
  /** Labels (`app=a`) or, for one pod, a field (`metadata.name=a`). */
  selector: string
  /** How many of the lines that are there at the start are wanted of each container; null for all. Of pods that come later, all. */
  tail: number | null
  /** What an earlier follower took last of a container's log, by `pod/container`. */
  known?: Map<string, KnownLog>
  take: (lines: LogLine[]) => void | Promise<void>
  onMark?: (mark: LogMark) => void
  onDidChange?: () => void
  now?: () => Date
}

/** How soon a new pod is found by looking; `look` finds it at once where somebody watches. */
const lookMs = 2_000
/** Gone sources are shown for a while: the last words of a pod are of interest just then. */
const rememberedSources = 20

/** The logs of all containers of all pods of a selection, as one stream: of those that are there, that come, and that came back. */
export class LogFollower implements Disposable {
  private readonly options: LogFollowerOptions
  private readonly logs = new Map<string, ContainerLog>()
  private readonly merge: Merge
  private readonly ending = new AbortController()
  private readonly done: Promise<void>
  private wake = new AbortController()
  private first = true
  private trouble: string | null = null

  constructor(options: LogFollowerOptions) {
    this.options = options
    this.merge = new Merge(options.take)
    this.done = this.run()
  }

  /** Each container's log as it stands; and why new pods cannot be looked for, where they cannot. */
  get state(): { sources: LogSource[]; trouble: string | null } {
    return { sources: [...this.logs.values()].map((log) => log.state), trouble: this.trouble }
  }

  /** Somebody saw pods change: looks now. */
  look(): void {
    this.wake.abort()
  }

  async dispose(): Promise<void> {
    this.ending.abort()
    this.wake.abort()
    await this.done
    await Promise.all([...this.logs.values()].map((log) => log.dispose()))
    await this.merge.flush()
  }

  private async run(): Promise<void> {
    while (!this.ending.signal.aborted) {
      await this.find()
      this.wake = new AbortController()
      if (!this.ending.signal.aborted)
        await sleep(lookMs, undefined, { signal: this.wake.signal, ref: false }).catch(() => undefined)
    }
  }

  private async find(): Promise<void> {
    const { client, namespace, selector, tail } = this.options
    try {
      const pods = await listPods(client, namespace, selector)
      const wanted = this.first ? tail : null
      this.first = false
      this.say(null)
      for (const pod of pods)
        for (const { name } of pod.containers)
          if (!this.logs.has(`${pod.uid}/${name}`)) this.start(pod, name, wanted)
      await this.forget()
    } catch (failure) {
      this.say(toAppError(failure).message)
    }
  }

  private start(pod: { name: string; uid: string }, container: string, tail: number | null): void {
    if (this.ending.signal.aborted) return
    const { client, namespace } = this.options
    const key = `${pod.uid}/${container}`
    const known = this.options.known?.get(`${pod.name}/${container}`)
    const log = new ContainerLog({
      ...{ client, namespace, pod: { name: pod.name, uid: pod.uid }, container, tail },
      ...(known && { known }),
      take: (lines) => this.merge.add(key, lines),
      onMark: (mark) => void this.merge.flush().then(() => this.options.onMark?.(mark)),
      onDidChange: () => this.options.onDidChange?.(),
      now: this.options.now ?? (() => new Date()),
    })
    this.logs.set(key, log)
  }

  private async forget(): Promise<void> {
    const gone = [...this.logs].filter(([, log]) => log.state.state === 'gone')
    for (const [key, log] of gone.slice(0, Math.max(0, gone.length - rememberedSources))) {
      this.logs.delete(key)
      await log.dispose()
    }
  }

  private say(trouble: string | null): void {
    if (this.trouble === trouble) return
    this.trouble = trouble
    this.options.onDidChange?.()
  }
}
