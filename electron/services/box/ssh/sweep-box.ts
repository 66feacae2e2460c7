import type { Lease, TeardownReport, TeardownRow } from '#shared/domain/lease.ts'
import { pinsIn } from '#shared/ssh/hosts-file.ts'
import type { LeaseLedger } from '../../leases/ledger.ts'
import type { RemoteLeases } from '../../leases/release.ts'
import type { Boxes } from './boxes.ts'
import { hostsFile } from './hosts-pin.ts'
import { shOrThrow } from './remote.ts'

export type BoxSweep = {
  boxes: Boxes
  ledger: LeaseLedger
  remote: RemoteLeases
  box: string
  /** Which rows to give back; null: only look. What no ledger of this console names may be another console's, so a person confirms it. */
  confirm: ((row: TeardownRow) => boolean) | null
  /** In place of the box's own, for a test. */
  hosts?: string
}

/** What of a console's lies on a box and is in no open lease of this one: folders of runs with what runs in them, names in the hosts file. */
export async function sweepBox(sweep: BoxSweep): Promise<TeardownReport> {
  const { ledger, remote, confirm } = sweep
  const found = await strays(sweep)
  const plan: TeardownRow[] = []
  for (const stray of found) plan.push(await rowOf(stray, remote))
  const report: TeardownReport = { plan, released: [], left: [] }
  for (const [index, row] of plan.entries()) {
    const stray = found[index]
    if (!stray || confirm === null) continue
    if (!confirm(row)) {
      report.left.push({ ...row, action: 'keep', proof: 'not confirmed' })
      continue
    }
    const lease = await ledger.intend(stray)
    const released = await remote.release(lease)
    if (released.gone) {
      await ledger.release(lease.id, released.proof)
      report.released.push({ ...row, proof: released.proof })
    } else {
      await ledger.leave(lease.id, released.why)
      report.left.push({ ...row, action: 'keep', proof: released.why })
    }
  }
  return report
}

type Stray = Pick<Lease, 'id' | 'run' | 'kind' | 'label' | 'identity'>

async function strays({ boxes, ledger, box: named, hosts: file = hostsFile }: BoxSweep): Promise<Stray[]> {
  const { id: box } = boxes.find(named)
  const link = boxes.link(box)
  const root = await boxes.root(box)
  const open = ledger.all().filter((lease) => lease.state !== 'released' && lease.identity.box === box)
  const paths = new Set(open.map((lease) => lease.identity.path))
  const ids = new Set(open.map((lease) => lease.id))
  const listed = await shOrThrow(
    link,
    'list its runs',
    'cd "$1/runs" 2> /dev/null || exit 0; for one in r-*; do [ -d "$one" ] && echo "$one"; done; exit 0',
    [root],
  )
  const runs = listed.split('\n').filter((name) => name !== '' && !paths.has(`${root}/runs/${name}`))
  const lines = await shOrThrow(link, `read ${file}`, 'cat "$1" 2> /dev/null; exit 0', [file])
  const pins = pinsIn(lines).filter((pin) => !ids.has(pin.lease))
  return [
    ...runs.flatMap((run): Stray[] => {
      const path = `${root}/runs/${run}`
      const of = (kind: 'process' | 'folder', label: string, identity: Lease['identity']): Stray => ({
        id: `stray/${box}/${run}/${kind}`,
        run: null,
        kind,
        label,
        identity: { box, ...identity },
      })
      return [
        of('process', `what runs in ${path} on ${link.name}`, { argument: path }),
        of('folder', `folder ${path} on ${link.name}`, { path }),
      ]
    }),
    ...pins.map(
      ({ lease, name, address }): Stray => ({
        id: lease,
        run: null,
        kind: 'hosts_pin',
        label: `${name} → ${address} in ${file} of ${link.name}`,
        identity: { box, file, name, address },
      }),
    ),
  ]
}

async function rowOf(stray: Stray, remote: RemoteLeases): Promise<TeardownRow> {
  const { id: lease, kind, label, identity } = stray
  const look = await remote.look({ ...stray, state: 'held', at: new Date(0).toISOString(), note: null })
  return { lease, kind, label, identity, action: 'release', proof: look }
}
