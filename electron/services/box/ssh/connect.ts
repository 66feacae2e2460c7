import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { Duplex } from 'node:stream'
import type { Disposable } from '#shared/base/disposable.ts'
import { AppError } from '#shared/base/errors.ts'
import { deniedError, type Login, type Passphrases, prepareLogin } from './auth.ts'
import { connectFailure } from './failures.ts'
import { type HostKeys, keyFromWire } from './host-keys.ts'
import type { Hop } from './resolve.ts'
import { type AuthHandlerMiddleware, Client, type ConnectConfig, type Ssh2Client } from './ssh2.ts'

export type ConnectOptions = {
  hops: Hop[]
  hostKeys: HostKeys
  passphrases: Passphrases
  env: NodeJS.ProcessEnv
  /** Told as each step begins: `resolve`, `reach gpu-1`, `check the key of gpu-1`, `log in to gpu-1`. */
  onStep?: (step: string) => void
  compression?: boolean
  /** Between two questions whether the far side is still there. */
  keepaliveMs?: number
}

/** An authenticated connection to the last hop, through all before it; ending it ends them all. */
export type Chain = Disposable & { client: Ssh2Client; hops: Hop[] }

/** From the first packet to the login, a hop. A person's question is not waited for in it: an unknown key ends the attempt. */
const readyMs = 20_000
/** A link that is silent for three of these is dead; shorter would call a busy laptop's link dead. */
const defaultKeepaliveMs = 10_000
/** A round trip that takes longer is no local network: there bytes cost more than the work of packing them. */
const slowMs = 80

/**
 * Connects hop by hop. On every hop the host's key is checked before anything secret is sent; a key that is not known ends the attempt there.
 * @throws {AppError} naming the hop and what failed (see `HostKeyError`, `PassphraseError` for what a person can answer).
 */
export async function connectChain(options: ConnectOptions): Promise<Chain> {
  const clients: Ssh2Client[] = []
  const end = async () => {
    for (const client of clients.toReversed()) await endClient(client)
  }
  try {
    let via: { client: Ssh2Client; hop: Hop } | null = null
    for (const hop of options.hops) {
      options.onStep?.(`reach ${hop.name}`)
      const began = performance.now()
      const sock = via ? await through(via, hop) : await directly(hop)
      // To open a stream takes one round trip, whatever lies on the way.
      const compression = options.compression || performance.now() - began > slowMs
      const client = new Client()
      clients.push(client)
      await logIn(client, hop, sock, via?.hop ?? null, { ...options, compression })
      via = { client, hop }
    }
    if (!via) throw new AppError('internal', 'There is no hop to connect to.')
    // Each hop holds the next one's stream: where an inner link breaks, the box's own connection ends too.
    return { client: via.client, hops: options.hops, dispose: end }
  } catch (failure) {
    await end()
    throw failure
  }
}

/** A far side that does not say goodbye within this is left without. */
const goodbyeMs = 1_000

function endClient(client: Ssh2Client): Promise<void> {
  return new Promise((resolve) => {
    const gone = () => {
      clearTimeout(timer)
      socketOf(client)?.destroy()
      resolve()
    }
    const timer = setTimeout(gone, goodbyeMs)
    client.once('close', gone)
    client.end()
    const socket = socketOf(client)
    if (!socket || socket.destroyed || socket.writable === false) gone()
  })
}

/** One of ssh2's own fields: its `destroy` leaves a socket open that the far side has half closed. */
const socketOf = (client: Ssh2Client): Duplex | undefined => (client as unknown as { _sock?: Duplex })._sock

function through(via: { client: Ssh2Client; hop: Hop }, hop: Hop): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    via.client.forwardOut('127.0.0.1', 0, hop.host, hop.port, (failure, stream) => {
      if (failure) reject(connectFailure(failure, hop, via.hop))
      else resolve(stream)
    })
  })
}

/** A socket, or a ProxyCommand's pipes. */
async function directly(hop: Hop): Promise<Duplex> {
  if (hop.proxyCommand === null) return dial(hop)
  const tokens: Record<string, string> = {
    h: hop.host,
    p: String(hop.port),
    r: hop.user,
    n: hop.name,
    '%': '%',
  }
  const command = hop.proxyCommand.replace(/%(.)/g, (whole, token: string) => tokens[token] ?? whole)
  const child = spawn('/bin/sh', ['-c', `exec ${command}`], { stdio: ['pipe', 'pipe', 'ignore'] })
  const sock = Duplex.from({ readable: child.stdout, writable: child.stdin })
  sock.once('close', () => child.kill())
  child.once('error', (failure) => sock.destroy(failure))
  return sock
}

function dial(hop: Hop): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hop.host, port: hop.port, timeout: readyMs })
    const failed = (failure: Error) => {
      socket.destroy()
      reject(connectFailure(failure, hop, null))
    }
    socket.once('error', failed)
    socket.once('timeout', () => failed(new Error('ETIMEDOUT')))
    socket.once('connect', () => {
      socket.off('error', failed)
      socket.setTimeout(0)
      // A key that is pressed in a terminal is not to wait for another.
      socket.setNoDelay(true)
      resolve(socket)
    })
  })
}

async function logIn(
  client: Ssh2Client,
  hop: Hop,
  sock: Duplex,
  via: Hop | null,
  options: ConnectOptions,
): Promise<void> {
  const { hostKeys, passphrases, env, onStep } = options
  const login = await prepareLogin(hop, env, passphrases)
  // What the verifier of keys threw is the reason; ssh2 only says that verification failed.
  let refusal: unknown = null
  const config: ConnectConfig = {
    ...(await meeting(hop, sock, options)),
    hostVerifier: (wire: Buffer, verify: (valid: boolean) => void) => {
      onStep?.(`check the key of ${hop.name}`)
      hostKeys.check(hop, keyFromWire(wire)).then(
        () => {
          onStep?.(`log in to ${hop.name} as ${hop.user}`)
          verify(true)
        },
        (failure: unknown) => {
          refusal = failure
          verify(false)
        },
      )
    },
    authHandler: oneAfterTheOther(login),
  }
  try {
    await ready(client, config)
  } catch (failure) {
    if (refusal !== null) throw refusal
    if ((failure as { level?: string }).level === 'client-authentication') throw deniedError(hop, login)
    throw connectFailure(failure, hop, via)
  }
}

/** All of a connection but whom to believe and how to log in. */
async function meeting(
  hop: Hop,
  sock: Duplex,
  { hostKeys, compression, keepaliveMs }: Pick<ConnectOptions, 'hostKeys' | 'compression' | 'keepaliveMs'>,
): Promise<ConnectConfig> {
  return {
    sock,
    username: hop.user,
    readyTimeout: readyMs,
    keepaliveInterval: keepaliveMs ?? defaultKeepaliveMs,
    keepaliveCountMax: 3,
    algorithms: {
      serverHostKey: inPreferredOrder(await hostKeys.typesFor(hop)),
      compress: compression ? ['zlib@openssh.com', 'none'] : ['none', 'zlib@openssh.com'],
    },
  }
}

/**
 * Goes as far as the host's key and no further: nothing is sent but what every client says before it knows whom it speaks to.
 * @param sock to the hop through those before it; null for the first. @throws {AppError} as `connectChain` where the key is not known to be good.
 */
export async function checkHostKey(
  hop: Hop,
  sock: Duplex | null,
  via: Hop | null,
  options: Pick<ConnectOptions, 'hostKeys' | 'onStep'>,
): Promise<void> {
  const client = new Client()
  let outcome: 'unheard' | 'good' | { refusal: unknown } = 'unheard'
  const hostVerifier = (wire: Buffer, verify: (valid: boolean) => void) => {
    options.onStep?.(`check the key of ${hop.name}`)
    const end = (found: typeof outcome) => {
      outcome = found
      verify(false)
    }
    options.hostKeys.check(hop, keyFromWire(wire)).then(
      () => end('good'),
      (refusal: unknown) => end({ refusal }),
    )
  }
  const told = () => outcome
  try {
    const own = sock ?? (await directly(hop))
    await ready(client, { ...(await meeting(hop, own, options)), hostVerifier })
  } catch (failure) {
    const found = told()
    if (found === 'unheard') throw connectFailure(failure, hop, via)
    if (found !== 'good') throw found.refusal
  } finally {
    await endClient(client)
  }
}

function oneAfterTheOther(login: Login): AuthHandlerMiddleware {
  const left = [...login.attempts]
  return (_, __, next) => {
    const method = left.shift()
    // `false` ends the attempt: in ssh2's documentation, missing in its types.
    if (method) next(method)
    else next(false as unknown as 'none')
  }
}

function ready(client: Ssh2Client, config: ConnectConfig): Promise<void> {
  return new Promise((resolve, reject) => {
    client.once('ready', resolve)
    // Stays: a connection that breaks later emits errors too, and who holds it listens to `close`.
    client.on('error', reject)
    client.once('close', () => reject(new Error('it was closed before the login')))
    client.connect(config)
  })
}

const hostKeyTypes = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
  'ssh-rsa',
] as const

/** Types on record first: a client that asks for another type invites a false alarm. */
function inPreferredOrder(known: string[]): (typeof hostKeyTypes)[number][] {
  const isKnown = (type: string) =>
    known.includes(type) || (known.includes('ssh-rsa') && type.startsWith('rsa-'))
  return [...hostKeyTypes].sort((a, b) => Number(isKnown(b)) - Number(isKnown(a)))
}
