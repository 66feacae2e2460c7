import { expect, test } from 'vitest'
import { faultyProxy } from '../../../testing/sshd/faulty-proxy.ts'
import { keyPair, publicOf } from '../../../testing/sshd/keys.ts'
import { hasSshd, type TestNet, testNet } from './testing.ts'

const real = test.skipIf(!hasSshd)

async function jumpChain(net: TestNet) {
  const [jump, box] = [await net.server('jump'), await net.server('box')]
  net.configure([...net.host('jump', jump), ...net.host('box', box, ['ProxyJump jump'])])
  return { jump, box }
}

real('a box behind a jump host is reached through it, each key checked', async () => {
  const net = await testNet()
  const { jump, box } = await jumpChain(net)
  net.known(jump.knownHosts, box.knownHosts)
  const boxes = await net.boxes()
  const { id } = await boxes.add('box')
  const steps: string[] = []
  boxes.link(id).onDidChange(({ step }) => step && !steps.includes(step) && steps.push(step))
  const { stdout } = await boxes.link(id).exec('echo $HOME')
  expect(stdout.toString().trim()).toBe(box.home)
  expect(steps).toEqual([
    'resolve box',
    'reach jump',
    'check the key of jump',
    `log in to jump as ${jump.user}`,
    'reach box',
    'check the key of box',
    `log in to box as ${box.user}`,
  ])
})

real('a changed key on the second hop: nothing is sent past it, no name, no key', async () => {
  const net = await testNet()
  const { jump, box } = await jumpChain(net)
  const other = publicOf(keyPair(net.folder, 'other'))
  net.known(jump.knownHosts, `[127.0.0.1]:${box.port} ${other}`)
  const boxes = await net.boxes()
  const { id } = await boxes.add('box')
  await expect(boxes.link(id).exec('true')).rejects.toMatchObject({ code: 'host_key_changed' })
  // The session of the jump host is authenticated; the box's ended before a user was named.
  const log = box.log()
  expect(jump.log()).toContain('Accepted publickey')
  expect(log).toContain('SSH2_MSG_KEXINIT sent')
  expect(log).not.toMatch(/userauth|Accepted|Failed|publickey|for user|invalid user/i)

  const { state, hostKey } = boxes.link(id).state
  expect(state).toBe('refused')
  expect(hostKey).toMatchObject({ hop: 'box', changed: true })
  expect(hostKey?.known).toHaveLength(1)
  expect(hostKey?.known[0]?.fingerprint).not.toBe(hostKey?.fingerprint)

  // A new machine at an old address, said by a person: from then on the old key is the one that is refused.
  await expect(boxes.trust(id, 'SHA256:another')).rejects.toMatchObject({ code: 'bad_input' })
  await boxes.trust(id, hostKey?.fingerprint ?? '')
  expect((await boxes.link(id).exec('echo in')).stdout.toString()).toBe('in\n')
  await boxes.link(id).disconnect()
  await box.stop()
  const old = await net.server('box-again', { port: box.port, hostKey: keyPair(net.folder, 'other') })
  await expect(boxes.link(id).exec('true')).rejects.toMatchObject({ code: 'host_key_revoked' })
  expect(old.log()).not.toMatch(/Accepted|userauth-request/)
})

real('a link that is slow is compressed', async () => {
  const net = await testNet()
  const [jump, box] = [await net.server('jump'), await net.server('box')]
  const proxy = await faultyProxy(jump.port)
  const known = jump.knownHosts.replace(String(jump.port), String(proxy.port))
  net.known(known, box.knownHosts)
  net.configure([
    ...net.host('jump', { ...jump, port: proxy.port }),
    ...net.host('box', box, ['ProxyJump jump']),
  ])
  const boxes = await net.boxes()
  const { id } = await boxes.add('box')
  const packed = () => box.log().match(/compression: zlib@openssh\.com/g)?.length ?? 0
  proxy.delay(100)
  await boxes.link(id).exec('true')
  // In either direction.
  expect(packed()).toBe(2)
})
