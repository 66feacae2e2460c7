import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Disposable } from '#shared/base/disposable.ts'
import { toAppError } from '#shared/base/errors.ts'
import type { LogSourceView, LogState } from '#shared/ipc/clusters.ts'
import type { KubeClient } from '../client.ts'
import { type LogLine, readStamp } from './line.ts'
import { type LogRequest, openLog, rawLines } from './log-request.ts'
import { Overlap } from './overlap.ts'
import { type ContainerState, readPod } from './pod-status.ts'
import { Stall } from './stall.ts'

export type LogSource = Omit<LogSourceView, 'lastByteAt'> & {
  lastByteAt: Date | null
  /** Connections that were opened; one is what an undisturbed log takes. */
  opened: number
}

/** What happened to a log that a reader of its lines must know. */
export type LogMark = {
  pod: string
  container: string
  kind: 'restarted' | 'gap' | 'dropped' | 'resumed' | 'ended' | 'gone' | 'said'
  text: string
}

export type ContainerLogOptions = {
  client: KubeClient
  namespace: string
  pod: { name: string; uid: string }
  container: string
  /** How many of the lines that are there already are wanted; null for all. */
  tail: number | null
  /** What an earlier follower took of it last, where it is known: it is gone on from there. */
  known?: KnownLog
  /** Lines in their order. A promise makes the log wait, so that a slow reader does not fill the memory. */
  take: (lines: LogLine[]) => void | Promise<void>
  onMark: (mark: LogMark) => void
  onDidChange: () => void
  now: () => Date
}

/** The last lines that were taken of a log, as the API gives them, and of which start of the container. */
export type KnownLog = { restarts: number; raws: string[] }

/** A log that says nothing for so long is called quiet. */
const quietMs = 10_000
/** How long after a container's end a new start of it is looked for. */
const idleMs = 2_000
const firstRetryMs = 200
const slowestRetryMs = 5_000

/** Follows the log of one container of one pod through cuts, rotations and restarts, each line once and in order, until the pod is gone. */
export class ContainerLog implements Disposable {
  private readonly options: ContainerLogOptions
  private readonly ending = new AbortController()
  private readonly done: Promise<void>
  private overlap = new Overlap()
  /** The container that the overlap belongs to. */
  private followed: { id: string | null; restarts: number } | null = null
  /** Whether its log was read to the end. */
  private finished = false
  private failures = 0
  private source: LogSource
  private stall: Stall | null = null

  constructor(options: ContainerLogOptions) {
    this.options = options
    const { pod, container } = options
    this.source = {
      ...{ pod: pod.name, container, state: 'waiting', detail: 'not looked at yet' },
      ...{ lastByteAt: null, lines: 0, opened: 0 },
    }
    this.recall(options.known)
    this.done = this.run()
  }

  /** As it stands now; whether it is quiet is a matter of the time of asking. */
  get state(): LogSource {
    const { lastByteAt, state } = this.source
    const silentMs = this.options.now().getTime() - (lastByteAt?.getTime() ?? Number.NEGATIVE_INFINITY)
    return state === 'live' && silentMs > quietMs ? { ...this.source, state: 'quiet' } : { ...this.source }
  }

  async dispose(): Promise<void> {
    this.ending.abort()
    await this.done
  }

  private async run(): Promise<void> {
    while (!this.ending.signal.aborted && this.source.state !== 'gone') {
      try {
        await this.once()
        this.failures = 0
      } catch (failure) {
        if (this.ending.signal.aborted) break
        this.drop(toAppError(failure).message)
        await this.pause(retryMs(this.failures++))
      }
    }
  }

  /** Reads from where it stands to wherever that ends. @throws where the API refuses or is not there. */
  private async once(): Promise<void> {
    const container = await this.look()
    if (container === null) return
    if (container.id === null || (this.finished && container.id === this.followed?.id)) {
      if (container.id === null) this.become('waiting', container.detail)
      return this.pause(idleMs)
    }
    if (this.followed === null) this.beginBefore(container)
    if (this.followed !== null && this.isAnother(container)) await this.next(container)
    this.followed = { id: container.id, restarts: container.restarts }
    await this.follow()
    const after = await this.look()
    if (after === null || after.id !== this.followed.id) return
    // Ended under a container that runs: a rotation, a node or a proxy that was tired of it, or an end that the API has not heard of yet.
    if (after.phase === 'running') return this.pause(firstRetryMs)
    // Once more, now that nobody writes to it: what it holds beyond what was followed, if anything.
    await this.read({ follow: false, previous: false })
    this.finished = true
    this.become('ended', after.detail)
    this.mark('ended', `ended: ${after.detail}`)
  }

  private recall(known: KnownLog | undefined): void {
    if (!known) return
    for (const raw of known.raws) {
      const stamp = readStamp(raw)
      if (stamp !== null) this.overlap.taken(raw, stamp.second)
    }
    // Which container that was is not known by its id, but by how often it had been started.
    this.followed = { id: null, restarts: known.restarts }
  }

  /** A container that crashed before anybody looked said why: where all is wanted, its words come first. */
  private beginBefore({ id, restarts, previous }: ContainerState): void {
    if (this.options.tail !== null || previous === null || previous.id === null || previous.id === id) return
    this.followed = { id: previous.id, restarts: restarts - 1 }
  }

  /** Whether it is another container than the one that was followed. */
  private isAnother({ id, restarts }: ContainerState): boolean {
    const { followed } = this
    return followed?.id === null ? restarts !== followed.restarts : id !== followed?.id
  }

  private async look(): Promise<ContainerState | null> {
    const { client, namespace, pod, container } = this.options
    const found = await readPod(client, namespace, pod)
    const state = found?.containers.find(({ name }) => name === container) ?? null
    if (state === null) {
      this.become('gone', 'the pod is gone')
      this.mark('gone', 'the pod is gone')
    }
    return state
  }

  /** The container was started anew: what its predecessor still said comes first. */
  private async next(container: ContainerState): Promise<void> {
    const before = this.followed
    const isLast =
      before?.id === null ? container.restarts === before.restarts + 1 : container.previous?.id === before?.id
    if (!isLast) {
      this.overlap = new Overlap()
      const gone = container.restarts - (before?.restarts ?? 0) - 1
      this.mark(
        'gap',
        `was restarted ${gone + 1} times; what those between said is gone, but for the last of them`,
      )
    }
    this.followed = { id: before?.id ?? null, restarts: container.restarts - 1 }
    if (!(isLast && this.finished)) await this.read({ follow: false, previous: true })
    this.overlap = new Overlap()
    this.finished = false
    this.followed = { id: container.id, restarts: container.restarts }
    this.mark('restarted', `was started again (${container.previous?.detail || 'its end is not known'})`)
  }

  private async follow(): Promise<void> {
    await this.read({ follow: true, previous: false })
  }

  private async read(how: { follow: boolean; previous: boolean }): Promise<void> {
    const { client } = this.options
    const cut = new AbortController()
    const signal = AbortSignal.any([this.ending.signal, cut.signal])
    const request = { ...this.request(), ...how, signal }
    const stream = await openLog(client, request)
    this.source.opened += 1
    this.overlap.reopened()
    if (this.source.state === 'dropped') this.mark('resumed', 'goes on where it stopped')
    if (how.follow) this.become('live', '')
    const stall = new Stall({
      client,
      request,
      knows: (raw) => this.overlap.knows(raw),
      onStall: (why) => cut.abort(why),
    })
    const outer = this.stall
    this.stall = how.follow ? stall : null
    try {
      await this.takeFrom(stream, how)
    } catch (failure) {
      throw cut.signal.aborted ? cut.signal.reason : failure
    } finally {
      this.stall = outer
      stall.dispose()
      stream.destroy()
    }
  }

  private request(): Omit<LogRequest, 'signal'> {
    const { namespace, pod, container, tail } = this.options
    const { since } = this.overlap
    return {
      namespace,
      pod: pod.name,
      container,
      since,
      tail: since === null && this.source.lines === 0 ? tail : null,
    }
  }

  private async takeFrom(stream: IncomingMessage, how: { previous: boolean }): Promise<void> {
    for await (const raws of rawLines(stream)) {
      this.failures = 0
      this.stall?.heard()
      this.source.lastByteAt = this.options.now()
      const lines: LogLine[] = []
      for (const raw of raws) {
        const stamp = readStamp(raw)
        if (stamp === null) {
          if (raw !== '') this.mark('said', raw)
          continue
        }
        let verdict = this.overlap.offer(raw, stamp.second)
        if (verdict === 'gap') {
          await this.take(lines.splice(0))
          // A fresh container begins with other lines, too; then it is no gap.
          if (how.previous || !(await this.wasRestarted()))
            this.mark('gap', 'lines may be missing: the file that held them was rotated away')
          this.overlap.taken(raw, stamp.second)
          verdict = 'new'
        }
        if (verdict === 'new') lines.push(this.lineOf(stamp))
      }
      await this.take(lines)
    }
  }

  private lineOf({ at, text }: { at: string; text: string }): LogLine {
    const { pod, container } = this.source
    return { pod, container, restart: this.followed?.restarts ?? 0, at, text }
  }

  private async take(lines: LogLine[]): Promise<void> {
    if (lines.length === 0) return
    this.source.lines += lines.length
    await this.options.take(lines)
  }

  /** The node knows of a restart a little before the API does. */
  private async wasRestarted(): Promise<boolean> {
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const container = await this.look()
      if (container === null) return false
      if (container.id !== null && this.isAnother(container)) {
        await this.next(container)
        return true
      }
      await this.pause(500)
    }
    return false
  }

  private drop(reason: string): void {
    if (this.source.state !== 'dropped') this.mark('dropped', reason)
    this.become('dropped', reason)
  }

  private become(state: LogState, detail: string): void {
    if (this.source.state === state && this.source.detail === detail) return
    this.source = { ...this.source, state, detail }
    this.options.onDidChange()
  }

  private mark(kind: LogMark['kind'], text: string): void {
    const { pod, container } = this.source
    this.options.onMark({ pod, container, kind, text })
  }

  private async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.ending.signal, ref: false }).catch(() => undefined)
  }
}

/** Growing pauses, none like another's: many logs that were cut at once do not come back at once. */
const retryMs = (failures: number) =>
  Math.min(slowestRetryMs, firstRetryMs * 2 ** failures) * (0.5 + Math.random() / 2)
