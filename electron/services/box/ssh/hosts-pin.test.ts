import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { LeaseLedger } from '../../leases/ledger.ts'
import { pinHost } from './hosts-pin.ts'
import { BoxLeases } from './remote-leases.ts'
import { hasSshd, testNet } from './testing.ts'

test.skipIf(!hasSshd)(
  'a name is pinned on the box as a lease, once, exactly, and taken away with proof',
  async () => {
    const net = await testNet()
    const server = await net.server('box')
    net.known(server.knownHosts)
    net.configure(net.host('box', server))
    const boxes = await net.boxes()
    const { id: box } = await boxes.add('box')
    const link = boxes.link(box)
    const ledger = await LeaseLedger.open(join(net.folder, 'leases.jsonl'), () => new Date())
    onTestFinished(() => ledger.close())
    const file = join(net.folder, 'hosts')
    const before = '127.0.0.1 localhost\n10.0.0.9 xverifier.mesh # verifier.mesh\n10.0.0.4 theirs.mesh\n'
    writeFileSync(file, before)
    const pin = (lease: string, name: string, address: string) =>
      pinHost(link, ledger, { lease, run: 'r-20261129-aaaaaa', box, name, address, file })

    expect(await pin('one', 'verifier.mesh', '10.0.0.7')).toBe('added')
    expect(readFileSync(file, 'utf8')).toBe(`${before}10.0.0.7\tverifier.mesh\t# ringside:one\n`)
    expect(await pin('two', 'Theirs.mesh', '10.0.0.4')).toBe('present')
    // Of another run: each takes its own line away, and the other's stays.
    expect(await pin('five', 'Verifier.mesh', '10.0.0.7')).toBe('added')
    await expect(pin('three', 'verifier.mesh', '10.0.0.8')).rejects.toMatchObject({ code: 'id_conflict' })
    await expect(pin('four', 'bad name', '10.0.0.8')).rejects.toMatchObject({ code: 'bad_input' })
    expect(ledger.all().map((lease) => [lease.id, lease.state])).toEqual([
      ['one', 'held'],
      ['two', 'released'],
      ['five', 'held'],
      ['three', 'released'],
    ])

    const remote = new BoxLeases(boxes)
    const [held, , other] = ledger.all()
    if (!held || !other) throw new Error('there is no lease')
    expect(await remote.look(held)).toBe(`its line is in ${file} of box`)
    const gone = { gone: true, proof: `no line of one in ${file} of box` }
    expect([await remote.release(held), await remote.release(held)]).toEqual([gone, gone])
    expect(readFileSync(file, 'utf8')).toBe(`${before}10.0.0.7\tVerifier.mesh\t# ringside:five\n`)
    expect(await remote.release(other)).toMatchObject({ gone: true })
    expect(readFileSync(file, 'utf8')).toBe(before)
  },
)
