import type { Disposable } from '#shared/base/disposable.ts'
import { Emitter } from '#shared/base/emitter.ts'
import { AppError, type ErrorInfo, toAppError } from '#shared/base/errors.ts'
import type { HostKeyQuestion, LinkStateName } from '#shared/domain/box.ts'
import { PassphraseError } from './auth.ts'
import type { ExecOptions, ExecResult } from './exec.ts'
import { ChannelRefused } from './failures.ts'
import { HostKeyError } from './host-keys.ts'
import type { BoxChannel, Pty, Target, Transport } from './transport.ts'
import { Turns } from './turns.ts'

export type LinkState = {
  state: LinkStateName
  since: Date
  /** What is being done, while connecting. */
  step: string | null
  error: ErrorInfo | null
  hostKey: HostKeyQuestion | null
  /** Key file whose passphrase is wanted. */
  passphraseFor: string | null
  nextTryAt: Date | null
  lastHeardAt: Date | null
  connects: number
}

export type LinkOptions = {
  name: string
  connect: (onStep: (step: string) => void) => Promise<Transport>
  now: () => Date
  /** An answer that takes longer is shown as late; some seconds by default, where most take some milliseconds. */
  overdueMs?: number
  /** In [0, 1), spreads retries of several boxes. */
  random?: () => number
}

/** OpenSSH allows ten sessions a connection (MaxSessions), and counts one for a moment after its end; the rest is left to terminals. */
const commandsAtOnce = 5
/** Times a command is offered again to a server that has no session free. */
const offers = 8
const defaultOverdueMs = 5_000
const firstRetryMs = 500
const slowestRetryMs = 30_000
/** A timer that comes this late was asleep with the machine. */
const asleepMs = 20_000
const watchEveryMs = 5_000

/** One box's connection: made when first needed, kept, watched, and made again when it breaks. All that goes to the box goes through here. */
export class SshLink implements Disposable {
  readonly name: string
  private readonly options: LinkOptions
  private readonly changed = new Emitter<LinkState>()
  private readonly connected = new Emitter<void>()
  private readonly turns = new Turns(commandsAtOnce)
  private current: LinkState
  private transport: Transport | null = null
  private opening: Promise<Transport> | null = null
  /** The ends of connections that broke: what they leave on this machine is taken away. */
  private leaving: Promise<unknown> = Promise.resolve()
  private retry: NodeJS.Timeout | null = null
  private retryMs = firstRetryMs
  private overdue = 0
  private ended = false
  private lastTick = Date.now()
  private watchTimer: NodeJS.Timeout | null = null

  constructor(options: LinkOptions) {
    this.options = options
    this.name = options.name
    this.current = {
      state: 'idle',
      since: options.now(),
      step: null,
      error: null,
      hostKey: null,
      passphraseFor: null,
      nextTryAt: null,
      lastHeardAt: null,
      connects: 0,
    }
  }

  get state(): LinkState {
    return this.current
  }

  onDidChange(listener: (state: LinkState) => void): () => void {
    return this.changed.on(listener)
  }

  /** Told at every new connection, the first included: what lived in the last one (a tunnel) must be made again. */
  onDidConnect(listener: () => void): () => void {
    return this.connected.on(listener)
  }

  /** @throws {AppError} what stands in the way, at once where a retry is already waiting for its time. */
  async ready(): Promise<Transport> {
    if (this.transport) return this.transport
    if (this.opening !== null) return this.opening
    if (this.current.state === 'refused' && this.current.error) throw asError(this.current.error)
    if (this.retry && this.current.error) throw this.lostError()
    return this.open()
  }

  /** Tries now, whatever stood in the way: after an answer of a person, or on a person's wish. */
  async reconnect(): Promise<Transport> {
    this.clearRetry()
    this.retryMs = firstRetryMs
    if (this.opening !== null) await this.opening.catch(() => undefined)
    return this.transport ?? this.open()
  }

  async exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    const transport = await this.ready()
    return this.turns.take(() => this.heard(this.offer(transport, command, options)))
  }

  private async offer(transport: Transport, command: string, options: ExecOptions): Promise<ExecResult> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await transport.exec(command, options)
      } catch (failure) {
        if (!(failure instanceof ChannelRefused) || tried === offers) throw failure
        await new Promise((resolve) => setTimeout(resolve, 20 * 2 ** tried))
      }
    }
  }

  async channel(command: string): Promise<BoxChannel> {
    return (await this.ready()).channel(command)
  }

  async shell(pty: Pty): Promise<BoxChannel> {
    return (await this.ready()).shell(pty)
  }

  /** For what listens on a channel of its own: something came from the box. Shown with the next change. */
  noteHeard(): void {
    this.current.lastHeardAt = this.options.now()
  }

  async openTunnel(wanted: number, target: Target): Promise<number> {
    return (await this.ready()).openTunnel(wanted, target)
  }

  async closeTunnel(port: number): Promise<void> {
    await this.transport?.closeTunnel(port)
  }

  async listens(port: number): Promise<boolean> {
    return (await this.ready()).listens(port)
  }

  /** After a sleep, or where something seems wrong: asks for a sign of life, and makes the connection anew where none comes. */
  async probe(): Promise<void> {
    const { transport } = this
    if (!transport) {
      if (this.retry) await this.reconnect().catch(() => undefined)
      return
    }
    try {
      await transport.exec(':', { limitMs: this.overdueMs })
      this.set({ lastHeardAt: this.options.now() })
    } catch {
      this.drop(transport, new AppError('unreachable', `${this.name} gave no sign of life.`))
      await this.reconnect().catch(() => undefined)
    }
  }

  /** Lets the socket go as a network that breaks does, without a word to the far side; for measuring what that costs. */
  breakOff(): void {
    this.transport?.breakOff()
  }

  /** Lets the connection go; the next use makes it again. */
  async disconnect(): Promise<void> {
    this.clearRetry()
    await this.opening?.catch(() => undefined)
    const { transport } = this
    this.transport = null
    await transport?.dispose()
    await this.leaving
    this.set({ state: 'idle', error: null, nextTryAt: null, step: null })
  }

  async dispose(): Promise<void> {
    this.ended = true
    if (this.watchTimer) clearInterval(this.watchTimer)
    await this.disconnect()
  }

  /** Never two at once: whoever asks while a connection is being made waits for that one. */
  private open(): Promise<Transport> {
    this.opening ??= this.connectOnce().finally(() => {
      this.opening = null
    })
    return this.opening
  }

  private async connectOnce(): Promise<Transport> {
    // Told only when `opening` is set: who hears of it may ask for the connection there and then.
    await null
    this.clearRetry()
    this.set({ state: 'connecting', error: null, hostKey: null, passphraseFor: null, nextTryAt: null })
    try {
      const transport = await this.options.connect((step) => this.set({ step }))
      if (this.ended) {
        await transport.dispose()
        throw this.lostError()
      }
      this.transport = transport
      this.retryMs = firstRetryMs
      this.overdue = 0
      transport.onClose(() =>
        this.drop(transport, new AppError('unreachable', `The link to ${this.name} broke.`)),
      )
      this.watchClock()
      const { now } = this.options
      this.set({
        state: 'ready',
        step: null,
        error: null,
        lastHeardAt: now(),
        connects: this.current.connects + 1,
      })
      this.connected.emit()
      return transport
    } catch (failure) {
      this.failed(toAppError(failure))
      throw failure
    }
  }

  private failed(error: AppError): void {
    const common = {
      error: error.info,
      hostKey: error instanceof HostKeyError ? error.question : null,
      passphraseFor: error instanceof PassphraseError ? error.keyFile : null,
    }
    if (error.retryable && !this.ended) this.scheduleRetry(common)
    else this.set({ state: 'refused', ...common, nextTryAt: null })
  }

  private drop(transport: Transport, error: AppError): void {
    if (this.transport !== transport) return
    this.transport = null
    transport.breakOff()
    this.leaving = Promise.all([this.leaving, transport.dispose()])
    if (!this.ended) this.scheduleRetry({ error: error.info, hostKey: null, passphraseFor: null })
  }

  private scheduleRetry(about: Pick<LinkState, 'error' | 'hostKey' | 'passphraseFor'>): void {
    const waitMs = this.retryMs * (0.8 + 0.4 * (this.options.random?.() ?? Math.random()))
    this.retryMs = Math.min(slowestRetryMs, this.retryMs * 2)
    this.clearRetry()
    this.retry = setTimeout(() => {
      this.retry = null
      void this.open().catch(() => undefined)
    }, waitMs)
    this.set({
      state: 'lost',
      step: null,
      ...about,
      nextTryAt: new Date(this.options.now().getTime() + waitMs),
    })
  }

  private clearRetry(): void {
    if (this.retry) clearTimeout(this.retry)
    this.retry = null
  }

  /** Shows an answer that is late as it is waited for, and any answer as a sign of life. */
  private async heard<T>(answer: Promise<T>): Promise<T> {
    let late = false
    const timer = setTimeout(() => {
      late = true
      this.overdue += 1
      if (this.current.state === 'ready') this.set({ state: 'degraded' })
    }, this.overdueMs)
    try {
      const value = await answer
      this.current.lastHeardAt = this.options.now()
      return value
    } finally {
      clearTimeout(timer)
      if (late) this.overdue = Math.max(0, this.overdue - 1)
      if (this.overdue === 0 && this.current.state === 'degraded') this.set({ state: 'ready' })
    }
  }

  private watchClock(): void {
    this.lastTick = Date.now()
    this.watchTimer ??= setInterval(() => {
      const slept = Date.now() - this.lastTick > asleepMs
      this.lastTick = Date.now()
      if (slept) void this.probe()
    }, watchEveryMs)
    this.watchTimer.unref()
  }

  private get overdueMs(): number {
    return this.options.overdueMs ?? defaultOverdueMs
  }

  private lostError(): AppError {
    const { error } = this.current
    return new AppError(
      'unreachable',
      `${this.name} is not connected: ${error?.message ?? 'the link was closed.'}`,
    )
  }

  private set(changes: Partial<LinkState>): void {
    const moved = changes.state !== undefined && changes.state !== this.current.state
    this.current = { ...this.current, ...changes, ...(moved && { since: this.options.now() }) }
    this.changed.emit(this.current)
  }
}

const asError = ({ code, message, hint }: ErrorInfo) => new AppError(code, message, { hint })
