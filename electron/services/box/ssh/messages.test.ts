import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { keyPair, publicOf } from '../../../testing/sshd/keys.ts'
import { freePort } from '../../../testing/sshd/sshd.ts'
import { resolveHops } from './resolve.ts'
import { hasSshd, type TestNet, testNet } from './testing.ts'

const real = test.skipIf(!hasSshd)

/** What a person reads when a box cannot be reached: code, sentence, next step. */
async function said(net: TestNet, target: string): Promise<string> {
  const boxes = await net.boxes()
  const { id } = await boxes.add(target)
  try {
    await boxes.link(id).exec('true')
    return 'fine'
  } catch (failure) {
    const { code, message, hint } = failure as { code: string; message: string; hint: string }
    expect(message).not.toMatch(/\n|undefined|\[object/)
    return `${code}: ${message} → ${hint}`
  } finally {
    await boxes.dispose()
  }
}

real('what stands between a person and a box is named, each in its own words', async () => {
  const net = await testNet()
  const server = await net.server('box')
  net.known(server.knownHosts)
  const port = await freePort()
  const deaf = createServer((socket) => socket.resume().end('220 mail.example ESMTP\r\n'))
  await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void deaf.close())
  const address = deaf.address()
  const mail = typeof address === 'object' && address ? address.port : 0
  const [shared, locked, stranger] = ['shared', 'locked', 'stranger'].map((name) =>
    keyPair(net.folder, name, name === 'locked' ? 'open sesame' : ''),
  )
  chmodSync(shared ?? '', 0o644)
  const box = (alias: string, ...extra: string[]) => net.host(alias, server, extra)
  const only = (key: string | undefined) => [`IdentityFile ${key}`]
  const without = (lines: string[]) => lines.filter((line) => !line.includes(`IdentityFile ${net.key}`))
  net.configure([
    ...box('fine'),
    ...box('gone', 'HostName no-such-host.invalid'),
    ...box('refused', `Port ${port}`),
    ...box('unrouted', 'HostName 255.255.255.255'),
    ...box('mail', `Port ${mail}`),
    ...box('wrong-user', 'User nobody-of-that-name'),
    ...without(box('wrong-key', ...only(stranger))),
    ...without(box('shared-key', ...only(shared))),
    ...without(box('locked-key', ...only(locked))),
    ...without(box('no-key', `IdentityFile ${net.folder}/nothing`)),
    ...without(
      box(
        'dead-agent',
        `IdentityAgent ${net.folder}/agent.sock`,
        'IdentitiesOnly no',
        `IdentityFile ${net.folder}/nothing`,
      ),
    ),
  ])
  const all: Record<string, string> = {}
  for (const alias of [
    'fine',
    'gone',
    'refused',
    'unrouted',
    'mail',
    'wrong-user',
    'wrong-key',
    'shared-key',
    'locked-key',
    'no-key',
    'dead-agent',
  ])
    all[alias] = await said(net, alias)
  expect(all).toEqual({
    fine: 'fine',
    gone: expect.stringMatching(
      /^host_not_found: There is no address for no-such-host\.invalid\. → Check the name/,
    ),
    refused: `connection_refused: 127.0.0.1:${port} refused the connection: nothing listens there. → Check the port, and that sshd runs on that machine.`,
    unrouted: expect.stringMatching(/^no_route: There is no route to 255\.255\.255\.255/),
    mail: expect.stringMatching(/^unreachable: 127.0.0.1:\d+ closed the connection before a handshake/),
    'wrong-user': `login_denied: wrong-user does not let nobody-of-that-name in; tried key ${net.key}. → Check the user name and that its key is on the machine.`,
    'wrong-key': `login_denied: wrong-key does not let ${server.user} in; tried key ${stranger}. → Check the user name and that its key is on the machine.`,
    'shared-key': `key_permissions: The key ${shared} can be read by others (mode 644), so it is not used. → Run chmod 600 ${shared}.`,
    'locked-key': `passphrase_needed: The key ${locked} is protected by a passphrase. → Give the key’s passphrase; it is kept in memory only.`,
    'no-key': expect.stringMatching(/^login_denied: There is no key to log in to \S+@no-key with/),
    'dead-agent': `agent_dead: The SSH agent at ${net.folder}/agent.sock does not answer. → Start the agent and add the key with \`ssh-add\`, or name a key file with IdentityFile.`,
  })
})

real(
  'the user’s own configuration decides: Include, Match exec, what hangs in it and what is wrong in it',
  async () => {
    const net = await testNet()
    const server = await net.server('box')
    net.known(server.knownHosts)
    const included = join(net.folder, 'included')
    writeFileSync(included, `${net.host('by-include', server).join('\n')}\n`, { mode: 0o600 })
    net.configure([
      `Include ${included}`,
      'Match originalhost by-match exec "true"',
      ...net.host('x', server).slice(1),
      'Match originalhost by-match exec "false"',
      '  Port 1',
      'Match originalhost hangs exec "sleep 600"',
      '  Port 1',
    ])
    expect([await said(net, 'by-include'), await said(net, 'by-match')]).toEqual(['fine', 'fine'])
    await expect(resolveHops('hangs', { configFile: net.config, limitMs: 300 })).rejects.toMatchObject({
      code: 'ssh_config',
      hint: expect.stringContaining('Match exec'),
    })
    net.configure([`Include ${included}`, 'Host *', '  Porto 22'])
    expect(await said(net, 'by-include')).toMatch(/^ssh_config: .*line 3: Bad configuration option: porto/)
    writeFileSync(included, 'Host a\n  ProxyJump b\nHost b\n  ProxyJump a\n')
    net.configure([`Include ${included}`])
    expect(await said(net, 'a')).toMatch(/^ssh_config: The jumps to a go in a circle/)
    for (const target of ['-oProxyCommand=touch', 'a b', 'x@-y', ''])
      await expect(resolveHops(target, { configFile: net.config })).rejects.toMatchObject({
        code: 'bad_input',
      })
  },
)

real('known hosts in every state: hashed, revoked, unreadable, changed, unknown', async () => {
  const net = await testNet()
  const server = await net.server('box')
  net.configure(net.host('box', server))
  const file = join(net.folder, 'known_hosts')
  const states: string[] = []
  const look = async () =>
    states.push((await said(net, 'box')).replace(/SHA256:[^ ,]+/g, 'SHA256').split(' → ')[0] ?? '')
  net.known(server.knownHosts)
  execFileSync('ssh-keygen', ['-H', '-f', file], { stdio: 'ignore' })
  await look()
  net.known(server.knownHosts, `@revoked * ${server.knownHosts.split(' ').slice(1).join(' ')}`)
  await look()
  net.known('# nothing yet')
  await look()
  net.known(`[127.0.0.1]:${server.port} ${publicOf(keyPair(net.folder, 'old'))}`)
  await look()
  net.known('[127.0.0.1]:22 ssh-ed25519')
  await look()
  net.configure(net.host('box', server, [`UserKnownHostsFile ${net.folder}`]))
  await look()
  net.known(server.knownHosts)
  const listed = join(net.folder, 'listed')
  net.configure(net.host('box', server, [`RevokedHostKeys ${listed}`]))
  await look()
  writeFileSync(listed, `# keys\n${publicOf(keyPair(net.folder, 'old'))}\n`)
  await look()
  writeFileSync(listed, `${server.knownHosts.split(' ').slice(1).join(' ')} gone\n`)
  await look()
  const one = join(net.folder, 'one.pub')
  writeFileSync(one, `${server.knownHosts.split(' ').slice(1).join(' ')}\n`)
  execFileSync('ssh-keygen', ['-k', '-f', listed, `${keyPair(net.folder, 'old')}.pub`], { stdio: 'ignore' })
  await look()
  execFileSync('ssh-keygen', ['-k', '-u', '-f', listed, one], { stdio: 'ignore' })
  await look()
  expect(states).toEqual([
    'fine',
    'host_key_revoked: The ssh-ed25519 key SHA256 of box is revoked.',
    'host_key_unknown: box offers ssh-ed25519 key SHA256, which is not on record.',
    `host_key_changed: The host key of box changed: it offers ssh-ed25519 key SHA256, on record is SHA256 (${file}:1).`,
    `known_hosts_unreadable: Line 1 of ${file} is no entry, so the key of box cannot be checked.`,
    expect.stringMatching(/^known_hosts_unreadable: \S+ cannot be read \(EISDIR/),
    expect.stringMatching(
      /^known_hosts_unreadable: \S+listed, which lists revoked host keys, cannot be read/,
    ),
    'fine',
    `host_key_revoked: The ssh-ed25519 key SHA256 of box is revoked by ${listed}.`,
    'fine',
    `host_key_revoked: The ssh-ed25519 key SHA256 of box is revoked by ${listed}.`,
  ])
  // Once for each that is fine.
  expect(server.log().match(/Accepted publickey/g)).toHaveLength(3)
})

real(
  'a passphrase is asked for, kept in memory and written nowhere; an agent is used where it has the key',
  async () => {
    const net = await testNet()
    const locked = keyPair(net.folder, 'locked', 'open sesame')
    const server = await net.server('box', { authorized: [publicOf(locked), publicOf(net.key)] })
    net.known(server.knownHosts)
    const lines = net.host('box', server).filter((line) => !line.includes('IdentityFile'))
    net.configure([...lines, `  IdentityFile ${locked}`])
    const boxes = await net.boxes()
    const { id } = await boxes.add('box')
    await expect(boxes.link(id).exec('true')).rejects.toMatchObject({ code: 'passphrase_needed' })
    expect(boxes.link(id).state).toMatchObject({ state: 'refused', passphraseFor: locked })
    await expect(boxes.unlock(id, 'wrong')).rejects.toMatchObject({
      message: `That is not the passphrase of ${locked}.`,
    })
    await boxes.unlock(id, 'open sesame')
    expect((await boxes.link(id).exec('echo in')).stdout.toString()).toBe('in\n')
    // grep's 1: it looked everywhere and found nothing.
    expect(spawnSync('grep', ['-rl', 'sesame', net.folder]).status).toBe(1)

    const agent = await startAgent(net.folder, locked)
    net.configure([
      ...lines.filter((line) => !line.includes('IdentitiesOnly')),
      `  IdentityAgent ${agent}`,
      `  IdentityFile ${net.folder}/nothing`,
    ])
    expect(await said(net, 'box')).toBe('fine')
  },
)

/** An agent that holds the key, as `ssh-add` left it there. */
async function startAgent(folder: string, key: string): Promise<string> {
  const socket = join(folder, 'agent.sock')
  const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' })
  onTestFinished(() => void agent.kill('SIGKILL'))
  const ask = join(folder, 'ask')
  writeFileSync(ask, '#!/bin/sh\necho open sesame\n', { mode: 0o700 })
  const env = {
    ...process.env,
    SSH_AUTH_SOCK: socket,
    SSH_ASKPASS: ask,
    SSH_ASKPASS_REQUIRE: 'force',
    DISPLAY: ':0',
  }
  for (let tries = 0; spawnSync('ssh-add', [key], { env, stdio: 'ignore' }).status !== 0; tries += 1) {
    if (tries > 100) throw new Error('the agent takes no key')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return socket
}
