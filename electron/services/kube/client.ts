import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { KubeConfig } from '@kubernetes/client-node'
import type { ClusterIdentity } from '#shared/domain/cluster.ts'
import { CredentialSource, type Login } from './credential-source.ts'
import { noAnswer, refusal } from './kube-errors.ts'
import type { KubeTarget } from './kubeconfig.ts'
import { authorityOf } from './kubeconfig.ts'

export type Query = Record<string, string | number | boolean | undefined>

export type CallOptions = {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  query?: Query
  body?: unknown
  contentType?: string
  signal?: AbortSignal
  /** The whole call, answer read, must be over by then. */
  limitMs?: number
}

/** Long enough for a far cluster, short enough that a person still waits. */
const callMs = 15_000

/**
 * One cluster, spoken to as one user. Requests are this module's own, over the library's authentication (certificates, tokens, proxies):
 * its generated methods throw errors that carry headers, and its streams stall when they are cut.
 */
export class KubeClient {
  readonly identity: ClusterIdentity
  /** The name by which the context was chosen; for people. */
  readonly context: string
  private readonly target: KubeTarget
  private readonly credentials: CredentialSource
  private made: { login: Login; config: KubeConfig } | null = null

  constructor(target: KubeTarget, identity: ClusterIdentity, env: NodeJS.ProcessEnv) {
    this.target = target
    this.identity = identity
    this.context = target.context
    this.credentials = new CredentialSource(target, env)
  }

  /** The parsed answer. @throws {AppError} `kube_*` by what the server said, `unreachable` where it did not, `exec_credential`. */
  async json(path: string, options: CallOptions = {}): Promise<unknown> {
    const text = await this.text(path, options)
    return text === '' ? null : JSON.parse(text)
  }

  async text(path: string, options: CallOptions = {}): Promise<string> {
    const limit = AbortSignal.timeout(options.limitMs ?? callMs)
    const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit
    const response = await this.open(path, { ...options, signal })
    try {
      return await readAll(response)
    } catch (failure) {
      throw noAnswer(this.identity.server, failure)
    }
  }

  /** The answer's body as it comes, for watches and logs. It ends when the signal is aborted; what errs on it then is the reader's to catch. */
  stream(path: string, options: { query?: Query; signal: AbortSignal }): Promise<IncomingMessage> {
    return this.open(path, options)
  }

  /** The library's own configuration with credentials resolved, for what it speaks and this does not (port-forward). */
  async kubeConfig(): Promise<KubeConfig> {
    const login = await this.credentials.get()
    // One as long as the credential is: its connections are kept open with it.
    if (this.made?.login !== login)
      this.made = { login, config: await makeConfig(this.target, this.identity, login) }
    return this.made.config
  }

  /** Once more with a new credential where the server did not take the first: a token may have expired since it was made. */
  private async open(path: string, options: CallOptions): Promise<IncomingMessage> {
    const what = `${options.method ?? 'GET'} ${path}`
    for (let attempt = 0; ; attempt += 1) {
      const response = await this.send(path, options)
      const code = response.statusCode ?? 0
      if (code >= 200 && code < 300) return response
      const body = await readAll(response).catch(() => '')
      if (code === 401 && attempt === 0 && this.credentials.renew()) continue
      throw refusal(what, code, body)
    }
  }

  private async send(path: string, options: CallOptions): Promise<IncomingMessage> {
    const config = await this.kubeConfig()
    const authenticated: RequestOptions & { headers?: Record<string, string> } = {}
    await config.applyToHTTPSOptions(authenticated)
    const url = new URL(`${this.identity.server}${path}`)
    for (const [name, value] of Object.entries(options.query ?? {}))
      if (value !== undefined) url.searchParams.set(name, String(value))
    const body = options.body === undefined ? null : JSON.stringify(options.body)
    const headers = {
      ...authenticated.headers,
      accept: 'application/json',
      ...(body !== null && { 'content-type': options.contentType ?? 'application/json' }),
    }
    const method = options.method ?? 'GET'
    const { signal } = options
    return new Promise((resolve, reject) => {
      const send = url.protocol === 'http:' ? httpRequest : httpsRequest
      const request = send(url, { ...authenticated, method, headers, ...(signal && { signal }) }, resolve)
      request.once('error', (failure) => reject(noAnswer(this.identity.server, reasonOf(signal, failure))))
      // A connection that died without a word is noticed also while nothing is sent.
      request.on('socket', (socket) => socket.setKeepAlive(true, 15_000))
      request.end(body ?? undefined)
    })
  }
}

async function makeConfig(
  { cluster }: KubeTarget,
  { server }: ClusterIdentity,
  { token, certificate, key, username, password }: Login,
): Promise<KubeConfig> {
  // Costs a second and 80 MB: only a console that opens a cluster pays for it.
  const { KubeConfig: Config } = await import('@kubernetes/client-node')
  const config = new Config()
  const authority = await authorityOf(cluster)
  const encode = (text: string) => Buffer.from(text).toString('base64')
  config.loadFromClusterAndUser(
    {
      name: 'cluster',
      server,
      skipTLSVerify: cluster.value['insecure-skip-tls-verify'] ?? false,
      ...(authority !== null && { caData: encode(authority) }),
      ...(cluster.value['tls-server-name'] !== null && { tlsServerName: cluster.value['tls-server-name'] }),
      ...(cluster.value['proxy-url'] !== null && { proxyUrl: cluster.value['proxy-url'] }),
    },
    {
      name: 'user',
      ...(token !== null && { token }),
      ...(certificate !== null && { certData: encode(certificate) }),
      ...(key !== null && { keyData: encode(key) }),
      ...(username !== null && { username, password: password ?? '' }),
    },
  )
  return config
}

/** An abort hides why it came. */
const reasonOf = (signal: AbortSignal | undefined, failure: unknown): unknown =>
  signal?.aborted && signal.reason instanceof Error ? signal.reason : failure

async function readAll(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8')
  let text = ''
  for await (const chunk of response) text += chunk
  return text
}
