import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { keyPair, publicOf } from '../../../../testing/sshd/keys.ts'
import { eventually } from '../../testing.ts'
import { remoteFiles } from '../remote-files.ts'
import { hasSshd, type TestNet, testNet } from '../testing.ts'

const real = test.skipIf(!hasSshd)

/** A key that no server knows, certified by an authority that they trust. @param more options of `ssh-keygen -s`. */
function certified(net: TestNet, name: string, more: string[], passphrase = ''): string {
  const authority = keyPair(net.folder, 'authority')
  const key = keyPair(net.folder, name, passphrase)
  execFileSync('ssh-keygen', ['-q', '-s', authority, '-I', name, ...more, `${key}.pub`])
  return key
}

const trusting = (net: TestNet) => ({
  authorized: [],
  config: [`TrustedUserCAKeys ${keyPair(net.folder, 'authority')}.pub`],
})

/** A box behind a jump host, both of which let in who has a certificate, and nobody else. */
async function certifiedChain(net: TestNet, key: string) {
  const jump = await net.server('jump', trusting(net))
  const box = await net.server('box', trusting(net))
  const by = (lines: string[]) => lines.map((line) => line.replace(net.key, key))
  net.configure([...by(net.host('jump', jump)), ...by(net.host('box', box, ['ProxyJump jump']))])
  return { jump, box }
}

const rooms = () => readdirSync(tmpdir()).filter((name) => name.startsWith('rs-'))

real(
  'by certificate through a jump host: commands, files, a tunnel, a terminal, and a link that comes back',
  async () => {
    const net = await testNet()
    const { jump, box } = await certifiedChain(net, certified(net, 'me', ['-n', userOf(), '-V', '+1h']))
    net.known(jump.knownHosts, box.knownHosts)
    const before = rooms()
    const boxes = await net.boxes()
    const { id } = await boxes.add('box')
    const link = boxes.link(id)
    const steps: string[] = []
    link.onDidChange(({ step }) => step && !steps.includes(step) && steps.push(step))
    const echoed = await link.exec('cat; echo to-the-side >&2; exit 7', { input: 'in\n' })
    expect({ ...echoed, stdout: String(echoed.stdout) }).toEqual({
      code: 7,
      stdout: 'in\n',
      stderr: 'to-the-side\n',
    })
    expect(steps).toEqual([
      'resolve box',
      'reach jump',
      'check the key of jump',
      'reach box',
      'check the key of box',
      `log in to box as ${box.user}, by the system’s ssh with the certificate ${net.folder}/me-cert.pub`,
    ])
    expect([jump.log(), box.log()].map((log) => /Accepted certificate ID "me"/.test(log))).toEqual([
      true,
      true,
    ])

    const many = await Promise.all(Array.from({ length: 12 }, (_, n) => link.exec(`echo ${n}`)))
    expect(many.map(({ stdout }) => Number(stdout))).toEqual(many.map((_, n) => n))
    writeFileSync(join(box.home, 'file'), 'x'.repeat(700_000))
    const files = remoteFiles(link, box.home)
    expect((await files.read('file', 1, 699_999)).length).toBe(699_999)

    await throughTunnel(link)
    await inTerminal(link)

    link.breakOff()
    await eventually('another connection', () => link.state.connects === 2 && link.state.state === 'ready')
    expect(String((await link.exec('echo back')).stdout)).toBe('back\n')
    const running = link.exec('sleep 60')
    const outcome = running.catch(({ code }: { code: string }) => code)
    await eventually('the command', async () =>
      String((await link.exec('ps -A -o args=')).stdout).includes('sleep 60'),
    )
    box.cutAll()
    expect(await outcome).toBe('unreachable')
    await boxes.dispose()
    expect(rooms()).toEqual(before)
  },
)

type Link = ReturnType<Awaited<ReturnType<TestNet['boxes']>>['link']>

async function throughTunnel(link: Link) {
  const server = createServer((socket) => socket.end('from here\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const here = typeof address === 'object' && address ? address.port : 0
  let target: number | null = here
  const port = await link.openTunnel(0, async () => target)
  const ask = `${process.execPath} -e 'require("net").connect(${port}, "127.0.0.1").pipe(process.stdout)'`
  expect(String((await link.exec(ask)).stdout)).toBe('from here\n')
  await expect(link.openTunnel(port, async () => target)).rejects.toMatchObject({ code: 'port_in_use' })
  target = null
  expect(String((await link.exec(ask)).stdout)).toBe('')
  expect(await link.listens(port)).toBe(true)
  await link.closeTunnel(port)
  expect(await link.listens(port)).toBe(false)
}

async function inTerminal(link: Link) {
  const shell = await link.shell({ term: 'xterm-256color', cols: 91, rows: 17 })
  let text = ''
  shell.on('data', (bytes: Buffer) => {
    text += bytes
  })
  shell.stderr.resume()
  shell.write('stty size; echo "$TERM $(test -t 0 && echo tty)"\r')
  await eventually('its size', () => /17 91\r\n.*xterm-256color tty\r\n/s.test(text))
  expect(text).not.toContain('ringside-tty')
  shell.setWindow(5, 40, 0, 0)
  await eventually('its new size', async () => {
    shell.write('stty size\r')
    await new Promise((resolve) => setTimeout(resolve, 100))
    return text.includes('5 40\r\n')
  })
  const ended = new Promise((resolve) => shell.once('exit', resolve))
  shell.write('exit 3\r')
  expect(await ended).toBe(3)
}

real('by certificate, too, a key is asked about before anything is sent to who offers it', async () => {
  const net = await testNet()
  const { jump, box } = await certifiedChain(net, certified(net, 'me', ['-n', userOf(), '-V', '+1h']))
  const boxes = await net.boxes()
  const { id } = await boxes.add('box')
  const link = boxes.link(id)
  await expect(link.exec('true')).rejects.toMatchObject({ code: 'host_key_unknown' })
  expect(link.state.hostKey).toMatchObject({ hop: 'jump', changed: false })
  expect(jump.log()).not.toMatch(/userauth|Accepted|for user/i)
  net.known(jump.knownHosts, `[127.0.0.1]:${box.port} ${publicOf(keyPair(net.folder, 'other'))}`)
  await expect(link.reconnect()).rejects.toMatchObject({ code: 'host_key_changed' })
  expect(link.state.hostKey).toMatchObject({ hop: 'box', changed: true })
  expect(jump.log()).toContain('Accepted certificate')
  expect(box.log()).not.toMatch(/userauth|Accepted|Failed|for user/i)
  await boxes.trust(id, link.state.hostKey?.fingerprint ?? '')
  expect(String((await link.exec('echo in')).stdout)).toBe('in\n')
})

real('what is wrong with a certificate is said; a passphrase is asked for and written nowhere', async () => {
  const net = await testNet()
  const said: string[] = []
  const box = await net.server('box', trusting(net))
  net.known(box.knownHosts)
  const over = certified(net, 'over', ['-n', userOf(), '-V', '20200101:20200102'])
  const foreign = certified(net, 'foreign', ['-n', 'somebody', '-V', '+1h'])
  const locked = certified(net, 'locked', ['-n', userOf(), '-V', '+1h'], 'open sesame')
  const boxes = await net.boxes()
  const { id } = await boxes.add('box')
  const link = boxes.link(id)
  for (const key of [over, foreign, locked]) {
    net.configure(net.host('box', box).map((line) => line.replace(net.key, key)))
    const failure = await link.reconnect().catch((met: { code: string; message: string }) => met)
    said.push('code' in failure ? `${failure.code}: ${failure.message.replaceAll(net.folder, '')}` : 'fine')
  }
  const denied = (key: string) =>
    `login_denied: box does not let ${box.user} in; ssh tried the certificate /${key}-cert.pub.`
  expect(said).toEqual([
    `${denied('over')} The certificate /over-cert.pub was valid until 2020-01-02T00:00:00.`,
    `${denied('foreign')} The certificate /foreign-cert.pub is for somebody.`,
    'passphrase_needed: The key /locked is protected by a passphrase.',
  ])
  expect(link.state).toMatchObject({ state: 'refused', passphraseFor: locked })
  await expect(boxes.unlock(id, 'wrong')).rejects.toMatchObject({
    message: `That is not the passphrase of ${locked}.`,
  })
  await boxes.unlock(id, 'open sesame')
  expect(String((await link.exec('echo in')).stdout)).toBe('in\n')
  // grep's 1: it looked everywhere and found nothing.
  expect(
    spawnSync('grep', ['-rlsa', 'sesame', net.folder, ...rooms().map((name) => join(tmpdir(), name))]).status,
  ).toBe(1)
})

real('a host that an authority vouches for is believed, and one that it does not is not', async () => {
  const net = await testNet()
  const authority = keyPair(net.folder, 'authority')
  const hostKey = keyPair(net.folder, 'host-of-box')
  execFileSync('ssh-keygen', [
    '-q',
    '-s',
    authority,
    '-I',
    'box',
    '-h',
    '-n',
    '127.0.0.1',
    '-V',
    '+1h',
    `${hostKey}.pub`,
  ])
  const box = await net.server('box', { hostKey, config: [`HostCertificate ${hostKey}-cert.pub`] })
  net.configure(net.host('box', box))
  net.known(`@cert-authority [127.0.0.1]:${box.port} ${publicOf(authority)}`)
  const boxes = await net.boxes()
  const { id } = await boxes.add('box')
  const link = boxes.link(id)
  expect(String((await link.exec('echo in')).stdout)).toBe('in\n')
  await link.disconnect()
  net.known(`@cert-authority [127.0.0.1]:${box.port} ${publicOf(keyPair(net.folder, 'other'))}`)
  await expect(link.reconnect()).rejects.toMatchObject({ code: 'host_key_unknown' })
  expect(box.log().match(/Accepted publickey/g)).toHaveLength(1)
})

const userOf = () => execFileSync('id', ['-un']).toString().trim()

real('a console that is killed outright leaves neither a connection nor a file', async () => {
  const net = await testNet()
  const box = await net.server('box', trusting(net))
  net.known(box.knownHosts)
  const key = certified(net, 'me', ['-n', userOf(), '-V', '+1h'])
  net.configure(net.host('box', box).map((line) => line.replace(net.key, key)))
  const before = rooms()
  const code = `
    import { Boxes } from ${JSON.stringify(join(import.meta.dirname, '../boxes.ts'))}
    const boxes = await Boxes.open({ file: ${JSON.stringify(join(net.folder, 'b.json'))},
      hostKeys: ${JSON.stringify(join(net.folder, 'own'))}, env: process.env, now: () => new Date() })
    await boxes.link((await boxes.add('box')).id).exec('true')
    console.log('in')
    setInterval(() => {}, 1000)`
  const args = ['--input-type=module', '-e', code]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env: net.env })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  expect(rooms()).toHaveLength(before.length + 1)
  child.kill('SIGKILL')
  await eventually('the end of its connection', () => box.children().length === 0)
  await eventually('its folder to go', () => rooms().length === before.length)
})
