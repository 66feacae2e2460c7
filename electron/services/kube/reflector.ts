import type { Disposable } from '#shared/base/disposable.ts'
import { AppError, toAppError } from '#shared/base/errors.ts'
import { LineCutter } from '#shared/journal/decode.ts'
import type { KubeObject } from '#shared/kube/objects.ts'
import type { KubeClient } from './client.ts'
import { asObject, type Kind, listObjects, pathOf } from './kinds.ts'
import { noAnswer, statusOf } from './kube-errors.ts'

export type Watched = {
  kind: Kind
  namespace: string
  labels?: string
  fields?: string
}

export type ReflectorState = { kind: 'listing' | 'live' | 'lost'; reason: string; since: Date }

export type ReflectorListener = {
  /** Everything there is now; what is not among it is gone. */
  onList(items: KubeObject[]): void
  onChange(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void
  onState?(state: ReflectorState): void
}

/**
 * The server ends a watch after this long by our own wish, and one that says nothing for a little longer is dead: a half-open connection is
 * noticed within `silenceMs` at the latest, for one small request every half minute.
 */
const watchSeconds = 25
const silenceMs = 35_000
const firstPauseMs = 500
const longestPauseMs = 15_000
const decoder = new TextDecoder()

/** Keeps a picture of some objects: lists them, watches, and lists again where the watch was lost or the server forgot its place (410). */
export class Reflector implements Disposable {
  private readonly client: KubeClient
  private readonly watched: Watched
  private readonly listener: ReflectorListener
  private readonly ending = new AbortController()
  private readonly done: Promise<void>
  private current: ReflectorState = { kind: 'listing', reason: '', since: new Date() }

  constructor(client: KubeClient, watched: Watched, listener: ReflectorListener) {
    this.client = client
    this.watched = watched
    this.listener = listener
    this.done = this.run()
  }

  get state(): ReflectorState {
    return this.current
  }

  async dispose(): Promise<void> {
    this.ending.abort()
    await this.done
  }

  private async run(): Promise<void> {
    let pause = firstPauseMs
    while (!this.ending.signal.aborted) {
      try {
        const { kind, namespace, labels, fields } = this.watched
        const { items, resourceVersion } = await listObjects(this.client, kind, namespace, {
          ...(labels !== undefined && { labels }),
          ...(fields !== undefined && { fields }),
        })
        if (this.ending.signal.aborted) return
        this.listener.onList(items)
        this.report('live', '')
        pause = firstPauseMs
        await this.watchFrom(resourceVersion)
      } catch (failure) {
        if (this.ending.signal.aborted) return
        const { code, message } = toAppError(failure)
        // What the server forgot is nothing lost: the list says it anew.
        if (code === 'kube_gone') this.report('listing', message)
        else this.report('lost', message)
        await this.rest(code === 'kube_gone' ? firstPauseMs : pause)
        pause = Math.min(pause * 2, longestPauseMs)
      }
    }
  }

  /** One watch after the other, each from where the last one ended, until one fails. */
  private async watchFrom(resourceVersion: string): Promise<void> {
    let from = resourceVersion
    let abrupt = 0
    while (!this.ending.signal.aborted) {
      const began = Date.now()
      from = await this.watchOnce(from)
      // Some servers end a watch they do not like without a word: a few of those, and everything is listed again.
      abrupt = Date.now() - began < 1_000 ? abrupt + 1 : 0
      if (abrupt >= 3) throw new AppError('kube_gone', 'The watch was ended again and again.')
      if (abrupt > 0) await this.rest(firstPauseMs)
    }
  }

  private async watchOnce(resourceVersion: string): Promise<string> {
    const { kind, namespace, labels, fields } = this.watched
    const silence = new AbortController()
    const signal = AbortSignal.any([this.ending.signal, silence.signal])
    const late = () =>
      silence.abort(new AppError('unreachable', 'The watch said nothing, not even that it ended.'))
    let timer = setTimeout(late, silenceMs)
    let last = resourceVersion
    try {
      const stream = await this.client.stream(pathOf(kind, namespace), {
        query: {
          watch: true,
          allowWatchBookmarks: true,
          resourceVersion,
          timeoutSeconds: watchSeconds,
          labelSelector: labels,
          fieldSelector: fields,
        },
        signal,
      })
      const cutter = new LineCutter((bytes) => decoder.decode(bytes))
      for await (const chunk of stream) {
        clearTimeout(timer)
        timer = setTimeout(late, silenceMs)
        for (const line of cutter.push(chunk as Uint8Array)) last = this.take(line.text) ?? last
      }
      return last
    } catch (failure) {
      throw silence.signal.aborted ? silence.signal.reason : noAnswer(this.client.identity.server, failure)
    } finally {
      clearTimeout(timer)
    }
  }

  /** @returns the version that the line brings. @throws {AppError} where the line is the server's refusal. */
  private take(text: string): string | null {
    if (text.trim() === '') return null
    const { type, object } = JSON.parse(text) as { type: string; object: unknown }
    if (type === 'ERROR') {
      const status = statusOf(object)
      throw new AppError(
        status?.code === 410 ? 'kube_gone' : 'unresolved',
        status?.message ?? 'The watch failed.',
      )
    }
    const parsed = asObject(object, this.watched.kind)
    if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') this.listener.onChange(type, parsed)
    return parsed.metadata.resourceVersion ?? null
  }

  private report(kind: ReflectorState['kind'], reason: string): void {
    if (this.current.kind === kind && this.current.reason === reason) return
    this.current = { kind, reason, since: new Date() }
    this.listener.onState?.(this.current)
  }

  /** With a little chance in it, so that many consoles do not come back at once. */
  private rest(ms: number): Promise<void> {
    const { signal } = this.ending
    return new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, ms * (0.75 + Math.random() / 2))
      signal.addEventListener('abort', end)
    })
  }
}
