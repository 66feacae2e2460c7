import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { ask, signIn, startShell } from './testing.ts'

test('a token is exchanged once for a strict cookie, and its second use is refused', async () => {
  const shell = await startShell()
  const { pathname, search } = new URL(shell.freshUrl())
  const head = await ask(shell.port, pathname + search, {}, 'HEAD')
  const first = await ask(shell.port, pathname + search)
  const second = await ask(shell.port, pathname + search)
  expect({
    head: head.status,
    first: first.status,
    cookie: first.headers['set-cookie']?.[0]?.replace(/=[\w-]{43};/, '=…;'),
    second: [second.status, second.headers['set-cookie'], second.body],
    forged: (await ask(shell.port, '/?token=guess')).status,
    without: (await ask(shell.port, '/')).status,
  }).toEqual({
    head: 401,
    first: 200,
    cookie: `ringside-${shell.port}=…; HttpOnly; SameSite=Strict; Path=/`,
    second: [
      403,
      undefined,
      'This address was used already. Open the address that the console printed; it works once. Press Enter there for a new one.\n',
    ],
    forged: 403,
    without: 401,
  })
})

test('a window that is signed in may follow its used link again', async () => {
  const shell = await startShell()
  const { pathname, search } = new URL(shell.freshUrl())
  const { headers } = await ask(shell.port, pathname + search)
  const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  const again = await ask(shell.port, pathname + search, { cookie })
  expect([again.status, again.headers['set-cookie']]).toEqual([200, undefined])
})

test('a rebound name, a foreign page and a method with effects are refused even with the cookie', async () => {
  const shell = await startShell()
  const cookie = await signIn(shell)
  const here = `127.0.0.1:${shell.port}`
  const status = async (headers: Record<string, string>, method?: string) =>
    (await ask(shell.port, '/', { cookie, ...headers }, method)).status
  expect({
    ours: await status({ host: here, origin: `http://${here}` }),
    byName: await status({ host: `localhost:${shell.port}` }),
    rebound: await status({ host: `evil.example:${shell.port}` }),
    otherPort: await status({ host: '127.0.0.1:1' }),
    foreignOrigin: await status({ origin: 'https://evil.example' }),
    opaqueOrigin: await status({ origin: 'null' }),
    embedded: await status({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }),
    framed: await status({
      'sec-fetch-site': 'same-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'iframe',
    }),
    opened: await status({
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    }),
    posted: await status({}, 'POST'),
    wrongCookie: await status({ cookie: `${cookie}x` }),
  }).toEqual({
    ours: 200,
    byName: 200,
    rebound: 403,
    otherPort: 403,
    foreignOrigin: 403,
    opaqueOrigin: 403,
    embedded: 403,
    framed: 403,
    opened: 200,
    posted: 405,
    wrongCookie: 401,
  })
})

test('the socket opens to a signed-in window of this origin only', async () => {
  const shell = await startShell()
  const cookie = await signIn(shell)
  const origin = `http://127.0.0.1:${shell.port}`
  const knock = async (path: string, headers: Record<string, string>) => {
    const socket = new WebSocket(`ws://127.0.0.1:${shell.port}${path}`, { headers })
    const outcome = await new Promise((resolve) => {
      socket.once('open', () => resolve('open'))
      socket.once('error', (failure) => resolve(failure.message))
    })
    socket.terminate()
    return outcome
  }
  const refused = (status: number) => `Unexpected server response: ${status}`
  expect({
    known: await knock('/bridge', { cookie, origin }),
    noCookie: await knock('/bridge', { origin }),
    noOrigin: await knock('/bridge', { cookie }),
    foreign: await knock('/bridge', { cookie, origin: 'https://evil.example' }),
    rebound: await knock('/bridge', {
      cookie,
      host: `evil.example:${shell.port}`,
      origin: `http://evil.example:${shell.port}`,
    }),
    elsewhere: await knock('/other', { cookie, origin }),
  }).toEqual({
    known: 'open',
    noCookie: refused(401),
    noOrigin: refused(403),
    foreign: refused(403),
    rebound: refused(403),
    elsewhere: refused(404),
  })
})

test('garbage instead of a request closes its connection and harms no other', async () => {
  const shell = await startShell()
  const cookie = await signIn(shell)
  const raw = connect(shell.port, '127.0.0.1')
  raw.on('error', () => {})
  raw.write('\x16\x03\x01 this is no HTTP\r\n\r\n')
  raw.resume()
  await once(raw, 'close')
  expect((await ask(shell.port, '/', { cookie })).status).toBe(200)
})
