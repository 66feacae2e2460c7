import { AppError } from '#shared/base/errors.ts'
import type { LeaseLedger } from '../../leases/ledger.ts'
import { pinHost } from './hosts-pin.ts'
import type { SshLink } from './link.ts'
import { writeRemote } from './remote.ts'
import type { Target } from './transport.ts'
import type { VerifierWay } from './verifier-way.ts'

export type MeshOptions = {
  link: SshLink
  ledger: LeaseLedger
  run: string
  box: string
  lease: string
  /** The run's folder on the box, where `verifier.json` tells the trainer the address. */
  folder: string
  name: string
  address: string
  hostsFile: string
  target: Target
}

/** A verifier that came back at another port must be found again; it seldom does. */
const lookEveryMs = 5_000

/** The way over a network that both machines are in: a name of the box's hosts file, and the verifier's own port. */
export class RunMesh implements VerifierWay {
  private readonly options: MeshOptions
  private told: number | null = null
  private pinned = false
  private timer: NodeJS.Timeout | null = null
  private stop: (() => void) | null = null

  constructor(options: MeshOptions) {
    this.options = options
    const known = options.ledger.all().find((lease) => lease.id === options.lease)
    this.pinned = known?.state === 'held'
  }

  /** @throws {AppError} `id_conflict` where the name stands for another address on the box. */
  async open(): Promise<void> {
    const { link, ledger, run, box, lease, name, address, hostsFile: file } = this.options
    if (!this.pinned) await pinHost(link, ledger, { lease, run, box, name, address, file })
    this.pinned = true
    await this.tell()
  }

  keepUp(): void {
    const again = () => void this.open().catch(() => undefined)
    this.stop ??= this.options.link.onDidConnect(again)
    this.timer ??= setInterval(again, lookEveryMs)
    this.timer.unref()
    again()
  }

  dispose(): void {
    this.stop?.()
    this.stop = null
    if (this.timer) clearInterval(this.timer)
    this.timer = null
  }

  private async tell(): Promise<void> {
    const { link, folder, name, target } = this.options
    const port = await target()
    if (port === null) throw new AppError('unreachable', 'The run’s verifier has no port yet.')
    if (port === this.told) return
    await writeRemote(
      link,
      `${folder}/verifier.json`,
      `${JSON.stringify({ url: `http://${name}:${port}` })}\n`,
    )
    this.told = port
  }
}
