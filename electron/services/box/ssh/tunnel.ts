import type { LeaseLedger } from '../../leases/ledger.ts'
import type { SshLink } from './link.ts'
import { writeRemote } from './remote.ts'
import type { Target } from './transport.ts'
import type { VerifierWay } from './verifier-way.ts'

export type TunnelOptions = {
  link: SshLink
  ledger: LeaseLedger
  lease: string
  /** The run's folder on the box, where `verifier.json` tells the trainer the address. */
  folder: string
  target: Target
}

/** The way from a loopback port of the box to a run's verifier here, made again at every new connection, at the same port where that is free. */
export class RunTunnel implements VerifierWay {
  private readonly options: TunnelOptions
  private port: number | null = null
  private told: number | null = null
  private stop: (() => void) | null = null
  private turn: Promise<unknown> = Promise.resolve()

  constructor(options: TunnelOptions) {
    this.options = options
    const known = options.ledger.all().find((lease) => lease.id === options.lease)?.identity.port
    if (typeof known === 'number') this.told = known
  }

  /** @throws {AppError} where the box gives no port. */
  open(): Promise<number> {
    const opened = this.turn.then(() => this.openOnce())
    this.turn = opened.catch(() => undefined)
    return opened
  }

  keepUp(): void {
    this.stop ??= this.options.link.onDidConnect(() => {
      this.port = null
      void this.open().catch(() => undefined)
    })
    void this.open().catch(() => undefined)
  }

  dispose(): void {
    this.stop?.()
    this.stop = null
    const { port } = this
    this.port = null
    if (port !== null) void this.options.link.closeTunnel(port)
  }

  private async openOnce(): Promise<number> {
    const { link, ledger, lease, folder, target } = this.options
    if (this.port !== null) return this.port
    // The end of a broken link may still hold the old port on the box; the trainer reads the address anew at every attempt.
    const wanted = this.told ?? 0
    const port = await link.openTunnel(wanted, target).catch((failure: unknown) => {
      if (wanted === 0) throw failure
      return link.openTunnel(0, target)
    })
    try {
      if (port !== this.told) {
        await ledger.hold(lease, { port })
        await writeRemote(
          link,
          `${folder}/verifier.json`,
          `${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`,
        )
      }
    } catch (failure) {
      await link.closeTunnel(port)
      throw failure
    }
    this.port = port
    this.told = port
    return port
  }
}
