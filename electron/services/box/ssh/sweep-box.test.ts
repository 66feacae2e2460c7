import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { programs } from '../../core/programs.ts'
import { LeaseLedger } from '../../leases/ledger.ts'
import { BoxLeases } from './remote-leases.ts'
import { sweepBox } from './sweep-box.ts'
import { hasSshd, testNet } from './testing.ts'

const [known, lost] = ['r-20261129-known2', 'r-20261129-lost22']

test.skipIf(!hasSshd)(
  'what a lost console left on a box is found, shown, and given back only when confirmed',
  async () => {
    const net = await testNet()
    const server = await net.server('box')
    net.known(server.knownHosts)
    net.configure(net.host('box', server))
    const boxes = await net.boxes()
    const { id: box } = await boxes.add('box')
    const ledger = await LeaseLedger.open(join(net.folder, 'leases.jsonl'), () => new Date())
    onTestFinished(() => ledger.close())
    const folder = (run: string) => join(server.home, '.ringside/runs', run)
    for (const run of [known, lost]) {
      mkdirSync(join(folder(run), 'supervisor'), { recursive: true })
      copyFileSync(programs.supervisor, join(folder(run), 'supervisor/supervise.sh'))
    }
    const identity = { box, path: folder(known) }
    await ledger.intend({ id: `${known}/folder`, run: known, kind: 'folder', label: 'known', identity })
    const script = 'while :; do sleep 1; done'
    const child = spawn('sh', ['-c', script, 'left', folder(lost)], { stdio: 'ignore' })
    onTestFinished(() => void child.kill('SIGKILL'))
    const hosts = join(net.folder, 'hosts')
    const before = '127.0.0.1 localhost\n'
    writeFileSync(hosts, `${before}10.0.0.7\tverifier.mesh\t# ringside:${lost}/pin\n`)

    const context = { boxes, ledger, remote: new BoxLeases(boxes), box, hosts }
    const looked = await sweepBox({ ...context, confirm: null })
    expect(looked.plan.map(({ lease, proof }) => [lease, proof])).toEqual([
      [`stray/box/${lost}/process`, `alive on box: process ${child.pid}`],
      [`stray/box/${lost}/folder`, 'it is on box'],
      [`${lost}/pin`, `its line is in ${hosts} of box`],
    ])
    expect([looked.released, existsSync(folder(lost)), child.exitCode]).toEqual([[], true, null])

    const swept = await sweepBox({ ...context, confirm: ({ kind }) => kind !== 'folder' })
    expect([swept.released.map(({ proof }) => proof), swept.left.map(({ kind }) => kind)]).toEqual([
      [`no process on box names ${folder(lost)}`, `no line of ${lost}/pin in ${hosts} of box`],
      ['folder'],
    ])
    const rest = await sweepBox({ ...context, confirm: () => true })
    expect(rest.released.at(-1)?.proof).toBe(`no folder ${folder(lost)} on box`)
    expect([existsSync(folder(lost)), existsSync(folder(known)), readFileSync(hosts, 'utf8')]).toEqual([
      false,
      true,
      before,
    ])
    expect((await sweepBox({ ...context, confirm: null })).plan).toEqual([])
  },
)
