import { AppError } from '#shared/base/errors.ts'
import type { Lease } from '#shared/domain/lease.ts'
import type { Released, RemoteLeases } from '../../leases/release.ts'
import type { Boxes } from './boxes.ts'
import { unpinHost } from './hosts-pin.ts'
import type { SshLink } from './link.ts'
import { sh } from './remote.ts'
import { parseProcesses } from './ssh-box.ts'

/** Things on boxes behind SSH, given back by their exact identity and looked at afterwards. */
export class BoxLeases implements RemoteLeases {
  private readonly boxes: Boxes

  constructor(boxes: Boxes) {
    this.boxes = boxes
  }

  async look(lease: Lease): Promise<string> {
    const link = this.linkOf(lease)
    switch (lease.kind) {
      case 'process': {
        const living = await livingOn(link, lease)
        const pids = living.map((one) => one.pid).join(', ')
        return living.length === 0 ? 'none of it is alive' : `alive on ${link.name}: process ${pids}`
      }
      case 'folder':
        return (await isFolder(link, pathOf(lease))) ? `it is on ${link.name}` : 'it is not there'
      case 'tunnel': {
        const port = Number(lease.identity.port)
        if (!port) return 'it was never made'
        return (await link.listens(port)) ? `port ${port} of ${link.name} is open` : `port ${port} is closed`
      }
      case 'hosts_pin': {
        const there = await sh(link, 'grep -qF "# ringside:$2" "$1"', [fileOf(lease), lease.id])
        return `its line is ${there.code === 0 ? '' : 'not '}in ${fileOf(lease)} of ${link.name}`
      }
      default:
        return ''
    }
  }

  async release(lease: Lease): Promise<Released> {
    const link = this.linkOf(lease)
    switch (lease.kind) {
      case 'process':
        return releaseProcesses(link, lease)
      case 'folder':
        return releaseFolder(link, await this.boxes.root(boxOf(lease)), pathOf(lease))
      case 'tunnel':
        return releaseTunnel(link, Number(lease.identity.port))
      case 'hosts_pin':
        return unpinHost(link, fileOf(lease), lease.id)
      default:
        return { gone: false, why: `a ${lease.kind} is not given back on a box` }
    }
  }

  private linkOf(lease: Lease): SshLink {
    return this.boxes.link(boxOf(lease))
  }
}

const boxOf = (lease: Lease) => String(lease.identity.box)
const fileOf = (lease: Lease) => String(lease.identity.file ?? '/etc/hosts')
const pathOf = (lease: Lease) => String(lease.identity.path ?? lease.identity.argument ?? '')

const processScript =
  '[ -f "$1/supervisor/supervise.sh" ] || exit 0; exec sh "$1/supervisor/supervise.sh" processes "$1"'

async function livingOn(link: SshLink, lease: Lease) {
  return parseProcesses((await sh(link, processScript, [pathOf(lease)])).stdout.toString())
}

async function releaseProcesses(link: SshLink, lease: Lease): Promise<Released> {
  const path = pathOf(lease)
  const stop = '[ ! -f "$1/supervisor/supervise.sh" ] || sh "$1/supervisor/supervise.sh" stop "$1" 5'
  await sh(link, stop, [path], { limitMs: 90_000 })
  for (let round = 0; round < 5; round += 1) {
    const living = await livingOn(link, lease)
    if (living.length === 0) return { gone: true, proof: `no process on ${link.name} names ${path}` }
    // Found by the run's own folder and mark a moment ago, so the numbers are still theirs.
    await sh(
      link,
      'kill -KILL "$@" 2> /dev/null; sleep 1',
      living.map((one) => String(one.pid)),
    )
  }
  const left = await livingOn(link, lease)
  return left.length === 0
    ? { gone: true, proof: `no process on ${link.name} names ${path}` }
    : {
        gone: false,
        why: `process ${left.map((one) => one.pid).join(', ')} on ${link.name} could not be ended`,
      }
}

/** A folder one level below the console's own `runs`, and nothing else. */
async function releaseFolder(link: SshLink, root: string, path: string): Promise<Released> {
  const name = path.startsWith(`${root}/runs/`) ? path.slice(`${root}/runs/`.length) : ''
  if (!/^r-[a-z0-9-]+$/.test(name))
    throw new AppError('internal', `${path || 'an empty path'} lies outside ${root}/runs and is not removed.`)
  await sh(link, 'rm -rf "$1"', [path], { limitMs: 120_000 })
  return (await isFolder(link, path))
    ? { gone: false, why: `${path} on ${link.name} could not be removed` }
    : { gone: true, proof: `no folder ${path} on ${link.name}` }
}

async function releaseTunnel(link: SshLink, port: number): Promise<Released> {
  if (!port) return { gone: true, proof: 'no tunnel was made' }
  await link.closeTunnel(port)
  return (await link.listens(port))
    ? { gone: false, why: `something still listens on 127.0.0.1:${port} of ${link.name}` }
    : { gone: true, proof: `nothing listens on 127.0.0.1:${port} of ${link.name}` }
}

async function isFolder(link: SshLink, path: string): Promise<boolean> {
  return (await sh(link, '[ -e "$1" ]', [path])).code === 0
}
