import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { programs } from '../../core/programs.ts'
import { LeaseLedger } from '../../leases/ledger.ts'
import { LocalBox } from '../local-box.ts'
import { eventually, serveOn } from '../testing.ts'
import { BoxLeases } from './remote-leases.ts'
import { SshBox } from './ssh-box.ts'
import { hasSshd, testNet } from './testing.ts'

const run = 'r-20261129-aaaaaa'

test.skipIf(!hasSshd)(
  'over a mesh the box finds the verifier by the name that was pinned for the run, and the name goes with it',
  async () => {
    const net = await testNet()
    const server = await net.server('box')
    net.known(server.knownHosts)
    net.configure(net.host('box', server))
    const boxes = await net.boxes()
    const { id } = await boxes.add('box')
    const ledger = await LeaseLedger.open(join(net.folder, 'leases.jsonl'), () => new Date())
    onTestFinished(() => ledger.close())
    mkdirSync(join(net.folder, 'local'))
    const root = join(net.folder, 'local')
    const local = new LocalBox({ root, supervisor: programs.supervisor, env: process.env })
    // A file of the test's own: the name in it is one that leads to this machine anyway.
    const hostsFile = join(net.folder, 'hosts')
    writeFileSync(hostsFile, '10.0.0.1 other\n')
    const box = new SshBox({
      id,
      link: boxes.link(id),
      root: await boxes.root(id),
      reach: { kind: 'mesh', name: 'localhost', address: '127.0.0.1' },
      hostsFile,
      local,
      ledger,
      supervisor: async () => readFileSync(programs.supervisor),
    })
    onTestFinished(() => box.stop(run, 1))
    for (const intent of box.leases(run)) await ledger.intend({ ...intent, run })
    const folder = box.folder(run)
    const asking = `fetch(process.argv.at(-1)).then((reply) => require('fs').writeFileSync('${folder}/reached', process.argv.at(-1) + ' ' + reply.status))`
    await box.prepare(run, '{}\n', {
      env: {},
      verifier: [process.execPath, '-e', serveOn, join(local.folder(run), 'verifier')],
      trainer: [process.execPath, '-e', asking],
    })
    await box.start(run)
    const attended = box.attend(run)
    const port = new URL((await local.verifierUrl(run)) ?? '').port
    const reached = () => boxes.link(id).exec(`cat ${folder}/reached`)
    await eventually('the trainer to reach it', async () => (await reached()).code === 0)
    expect(String((await reached()).stdout)).toBe(`http://localhost:${port} 200`)
    expect(readFileSync(hostsFile, 'utf8')).toBe(
      `10.0.0.1 other\n127.0.0.1\tlocalhost\t# ringside:${run}/pin\n`,
    )
    const pin = ledger.all().find((lease) => lease.id === `${run}/pin`)
    expect([pin?.kind, pin?.state]).toEqual(['hosts_pin', 'held'])
    await attended.dispose()
    if (pin) expect(await new BoxLeases(boxes).release(pin)).toMatchObject({ gone: true })
    expect(readFileSync(hostsFile, 'utf8')).toBe('10.0.0.1 other\n')
  },
)
