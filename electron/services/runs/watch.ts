import type { Disposable } from '#shared/base/disposable.ts'
import { type LogStream, logStreams } from '#shared/domain/log-stream.ts'
import type { VerifierHealth } from '#shared/domain/verifier.ts'
import type { RunBox } from '../box/run-box.ts'
import { type BoxStatus, trainerLife } from '../box/supervision.ts'
import { VerifierClient } from '../verifier/client.ts'

/** What a console knows of a run beside its journal, as of the last look. */
export type Seen = {
  status: BoxStatus | null
  trainerAlive: boolean | null
  verifierUrl: string | null
  health: VerifierHealth | null
  logs: Record<LogStream, number>
}

export type WatchListener = {
  /** The trainer is certainly gone. Told once a change. */
  onTrainerGone?: (status: BoxStatus) => void
  /** The verifier took another address, or its first. */
  onVerifier?: (url: string) => void
  onLog?: (stream: LogStream, size: number) => void
}

/** A look costs one short shell script on the box; more often would be felt there, more rarely a person would notice. */
const lookEveryMs = 2_000
const sayHereEveryMs = 60_000

/** Looks at a run's box again and again: who lives, what the verifier says of itself, how far the logs are. */
export class RunWatch implements Disposable {
  readonly seen: Seen = {
    status: null,
    trainerAlive: null,
    verifierUrl: null,
    health: null,
    logs: { trainer: 0, verifier: 0, supervisor: 0, pods: 0 },
  }
  private readonly box: RunBox
  private readonly run: string
  private readonly listener: WatchListener
  private timer: NodeJS.Timeout | null = null
  private ended = false
  private looking: Promise<void> | null = null
  private saidHereAt = 0

  constructor(box: RunBox, run: string, listener: WatchListener) {
    this.box = box
    this.run = run
    this.listener = listener
    void this.loop()
  }

  /** A look right now (or the one already going on). Never throws: a box that does not answer leaves what was seen before. */
  look(): Promise<void> {
    this.looking ??= this.lookOnce()
      .catch(() => undefined)
      .finally(() => {
        this.looking = null
      })
    return this.looking
  }

  async dispose(): Promise<void> {
    this.ended = true
    if (this.timer) clearTimeout(this.timer)
    await this.looking
  }

  private async loop(): Promise<void> {
    await this.look()
    if (this.ended) return
    this.timer = setTimeout(() => void this.loop(), lookEveryMs)
  }

  private async lookOnce(): Promise<void> {
    await this.lookAtStatus()
    await this.lookAtVerifier()
    await this.lookAtLogs()
    if (!this.ended && Date.now() - this.saidHereAt > sayHereEveryMs) {
      this.saidHereAt = Date.now()
      await this.box.sayHere(this.run)
    }
  }

  private async lookAtStatus(): Promise<void> {
    const status = await this.box.status(this.run)
    const alive = trainerLife(status)
    const changed = alive !== this.seen.trainerAlive
    this.seen.status = status
    this.seen.trainerAlive = alive
    if (changed && alive === false) this.listener.onTrainerGone?.(status)
  }

  private async lookAtVerifier(): Promise<void> {
    const url = await this.box.verifierUrl(this.run)
    if (url !== null && url !== this.seen.verifierUrl) this.listener.onVerifier?.(url)
    this.seen.verifierUrl = url
    const alive = this.seen.status?.verifier.state === 'alive'
    const token = url === null ? null : await this.box.verifierToken(this.run)
    const health =
      url !== null && alive ? await new VerifierClient(url, token).health().catch(() => null) : null
    this.seen.health = health
  }

  private async lookAtLogs(): Promise<void> {
    const files = this.box.files(this.run)
    for (const stream of logStreams) {
      const size = (await files.stat(`${stream}.log`))?.sizeBytes ?? 0
      if (size === this.seen.logs[stream]) continue
      this.seen.logs[stream] = size
      this.listener.onLog?.(stream, size)
    }
  }
}
