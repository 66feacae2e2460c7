import type { Disposable } from '#shared/base/disposable.ts'
import { toAppError } from '#shared/base/errors.ts'
import { type GpuSample, GpuSamples } from '#shared/telemetry/gpu-samples.ts'
import type { GpuFault } from '#shared/telemetry/nvidia-smi.ts'
import type { SshLink } from '../../box/ssh/link.ts'
import type { BoxChannel } from '../../box/ssh/transport.ts'
import { gpuQuery } from './query.ts'

export type GpuState = {
  /** `none`: this box has no GPU that can be asked. `silent`: the query hangs, as drivers in trouble do. */
  state: 'waiting' | 'live' | 'none' | 'fault' | 'silent'
  detail: string
  sample: GpuSample | null
}

export type GpuWatchOptions = {
  link: SshLink
  now: () => Date
  onSample?: (sample: GpuSample) => void
  onState?: (state: GpuState) => void
  everyS?: number
  /** A query that says nothing for this long is hung. */
  silentMs?: number
  /** After a fault or silence, the query is made again. */
  againMs?: number
}

/** A training step takes seconds: five of them show its phases, and cost the box one row of text a GPU. */
const defaultEveryS = 5
const defaultAgainMs = 60_000
/** The rows of one look come together. */
const settleMs = 500

/** One long-lived query a box, begun at every connection, ended with it. */
export class GpuWatch implements Disposable {
  private readonly options: GpuWatchOptions
  private readonly unknown = new Set<string>()
  private readonly stop: () => void
  private channel: BoxChannel | null = null
  private quiet: NodeJS.Timeout | null = null
  private again: NodeJS.Timeout | null = null
  private settling: NodeJS.Timeout | null = null
  private asked = 0
  private ended = false
  private current: GpuState = { state: 'waiting', detail: 'not asked yet', sample: null }

  constructor(options: GpuWatchOptions) {
    this.options = options
    this.stop = options.link.onDidConnect(() => void this.ask())
    if (options.link.state.state === 'ready') void this.ask()
  }

  get state(): GpuState {
    return this.current
  }

  dispose(): void {
    this.ended = true
    this.stop()
    this.clear()
    this.channel?.close()
    this.channel = null
  }

  private async ask(): Promise<void> {
    if (this.ended) return
    this.clear()
    this.channel?.close()
    const { link, everyS = defaultEveryS } = this.options
    this.asked += 1
    const turn = this.asked
    try {
      const channel = await link.channel(gpuQuery(everyS, this.unknown))
      if (turn !== this.asked || this.ended) return channel.close()
      this.channel = channel
      this.listen(channel)
    } catch (failure) {
      // Of a connection that is no more: the next one was asked meanwhile.
      if (turn !== this.asked) return
      this.set({ state: 'fault', detail: toAppError(failure).message })
      this.askLater()
    }
  }

  private listen(channel: BoxChannel): void {
    let fault: GpuFault | null = null
    const samples = new GpuSamples(
      () => this.options.now().toISOString(),
      (sample) => {
        this.set({ state: 'live', detail: '', sample })
        this.options.onSample?.(sample)
      },
      (met) => {
        fault ??= met
      },
    )
    this.waitForWord(channel)
    channel.on('data', (bytes: Buffer) => {
      this.options.link.noteHeard()
      this.waitForWord(channel)
      samples.push(bytes.toString())
      if (this.settling) clearTimeout(this.settling)
      this.settling = setTimeout(() => samples.settle(), settleMs)
    })
    channel.stderr.resume()
    channel.on('error', () => undefined)
    channel.on('close', () => {
      if (this.channel !== channel) return
      this.channel = null
      this.clear()
      this.over(fault)
    })
  }

  /** The query ended by itself. */
  private over(fault: GpuFault | null): void {
    if (this.ended) return
    if (fault?.kind === 'field' && !this.unknown.has(fault.text)) {
      this.unknown.add(fault.text)
      void this.ask()
      return
    }
    if (fault?.kind === 'no_tool' || fault?.kind === 'no_gpu') this.set({ state: 'none', detail: fault.text })
    else {
      this.set({ state: 'fault', detail: fault?.text ?? 'the query ended' })
      this.askLater()
    }
  }

  private waitForWord(channel: BoxChannel): void {
    if (this.quiet) clearTimeout(this.quiet)
    const { everyS = defaultEveryS } = this.options
    const silentMs = this.options.silentMs ?? everyS * 4_000 + 10_000
    this.quiet = setTimeout(() => {
      this.channel = null
      this.clear()
      this.set({
        state: 'silent',
        detail: `nvidia-smi has said nothing for ${Math.round(silentMs / 1000)} s`,
      })
      channel.close()
      this.askLater()
    }, silentMs)
  }

  private askLater(): void {
    if (this.ended || this.options.link.state.state !== 'ready') return
    this.again = setTimeout(() => void this.ask(), this.options.againMs ?? defaultAgainMs)
    this.again.unref()
  }

  private clear(): void {
    if (this.quiet) clearTimeout(this.quiet)
    if (this.again) clearTimeout(this.again)
    if (this.settling) clearTimeout(this.settling)
    this.quiet = null
    this.again = null
  }

  private set(changes: Partial<GpuState>): void {
    this.current = { ...this.current, ...changes }
    this.options.onState?.(this.current)
  }
}
