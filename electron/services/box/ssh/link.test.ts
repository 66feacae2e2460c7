import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { AppError } from '#shared/base/errors.ts'
import type { LinkStateName } from '#shared/domain/box.ts'
import { faultyProxy } from '../../../testing/sshd/faulty-proxy.ts'
import { Tail } from '../../telemetry/tail.ts'
import { eventually } from '../testing.ts'
import { SshLink } from './link.ts'
import { remoteFiles } from './remote-files.ts'
import { hasSshd, testNet } from './testing.ts'

const real = test.skipIf(!hasSshd)

/** A box behind a network that can be made worse, a link with short patience, and the states it went through. */
async function shakyBox(keepaliveMs = 400) {
  const net = await testNet()
  const server = await net.server('box')
  const proxy = await faultyProxy(server.port)
  net.known(server.knownHosts.replace(String(server.port), String(proxy.port)))
  net.configure(net.host('box', { ...server, port: proxy.port }))
  const boxes = await net.boxes({ overdueMs: 300, keepaliveMs })
  const { id } = await boxes.add('box')
  const link = boxes.link(id)
  const states: LinkStateName[] = []
  link.onDidChange(({ state }) => state === states.at(-1) || states.push(state))
  await link.exec('true')
  return { net, server, proxy, link, states }
}

test('however many ask for it, and whoever hears of it, one connection is tried at a time', async () => {
  let [now, most, tries] = [0, 0, 0]
  const connect = async () => {
    now += 1
    tries += 1
    most = Math.max(most, now)
    await new Promise((resolve) => setTimeout(resolve, 5))
    now -= 1
    throw new AppError('unreachable', 'Nobody is there.')
  }
  const link = new SshLink({ name: 'box', now: () => new Date(), connect })
  onTestFinished(() => link.dispose())
  const ask = () => void link.ready().catch(() => undefined)
  link.onDidChange(({ state }) => state === 'connecting' && ask())
  const asked = Array.from({ length: 20 }, () => [link.reconnect(), link.ready(), link.probe()])
  await Promise.allSettled(asked.flat())
  expect([most, tries <= 41]).toEqual([1, true])
})

real('an answer that is late is shown as late, comes, and cost nothing', async () => {
  const { server, proxy, link, states } = await shakyBox(60_000)
  proxy.delay(400)
  expect(String((await link.exec('echo slow')).stdout)).toBe('slow\n')
  proxy.delay(0)
  for (const pid of server.children()) process.kill(pid, 'SIGSTOP')
  const answer = link.exec('echo stopped')
  await eventually('a late answer to be shown', () => link.state.state === 'degraded')
  for (const pid of server.children()) process.kill(pid, 'SIGCONT')
  expect(String((await answer).stdout)).toBe('stopped\n')
  expect([states, link.state.connects]).toEqual([
    ['connecting', 'ready', 'degraded', 'ready', 'degraded', 'ready'],
    1,
  ])
})

real('a line that went dead without a word is noticed by itself, and by a look after a sleep', async () => {
  const { proxy, link, states } = await shakyBox()
  proxy.halfOpen(true)
  await eventually('the silence to be noticed', () => link.state.state === 'lost')
  expect(link.state.error?.message).toMatch(/box/)
  expect(link.state.nextTryAt).not.toBeNull()
  await expect(link.exec('true')).rejects.toMatchObject({ code: 'unreachable' })
  proxy.cut()
  proxy.halfOpen(false)
  await eventually('another connection', () => link.state.state === 'ready')
  expect(String((await link.exec('echo back')).stdout)).toBe('back\n')
  expect(states.slice(0, 3)).toEqual(['connecting', 'ready', 'lost'])

  proxy.halfOpen(true)
  const looked = link.probe()
  await eventually(
    'the look to give it up',
    () => link.state.state !== 'ready' && link.state.state !== 'degraded',
  )
  proxy.halfOpen(false)
  proxy.cut()
  await looked
  await eventually('a third connection', () => link.state.connects === 3 && link.state.state === 'ready')
})

real(
  'a file is followed through a delay, cuts and a dead line: each byte once, and its age told meanwhile',
  async () => {
    const { server, proxy, link } = await shakyBox()
    const file = join(server.home, 'log')
    writeFileSync(file, '')
    let text = ''
    const tail = new Tail({
      files: remoteFiles(link, server.home),
      path: 'log',
      offset: 0,
      pollMs: 50,
      now: () => new Date(),
      take: (bytes) => {
        text += Buffer.from(bytes).toString('latin1')
        return bytes.length
      },
      onReplaced: () => null,
    }).start()
    onTestFinished(() => tail.dispose())
    let written = 0
    const write = (lines: number) => {
      for (let n = 0; n < lines; n += 1, written += 1)
        appendFileSync(file, `line ${String(written).padStart(5, '0')}\n`)
    }
    const caughtUp = () => eventually(`line ${written}`, () => text.length === written * 11)
    const lost = () => eventually('the tail to say so', () => tail.health.state === 'lost')
    write(200)
    await caughtUp()
    proxy.delay(100)
    write(200)
    await caughtUp()
    proxy.delay(0)
    proxy.refuse(true)
    proxy.cut()
    write(200)
    await lost()
    const heard = tail.health.lastHeardAt
    write(200)
    proxy.refuse(false)
    await caughtUp()
    proxy.halfOpen(true)
    write(200)
    await lost()
    proxy.halfOpen(false)
    proxy.cut()
    await caughtUp()
    expect(heard).not.toBeNull()
    expect(
      text
        .split('\n')
        .map((line, n) => (n < written ? line === `line ${String(n).padStart(5, '0')}` : line === '')),
    ).not.toContain(false)
    expect(tail.health).toMatchObject({ state: 'live', offset: written * 11 })
  },
)
