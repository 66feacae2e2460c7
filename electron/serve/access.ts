import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/**
 * Who may talk to the browser shell. Everybody on the machine can reach a loopback port, and every web page can make the browser try:
 *
 * - a token in the printed address is exchanged once for a cookie; the second use is refused,
 * - `Host` must name this server, or a page whose name was rebound to 127.0.0.1 would pass for it,
 * - `Origin`, where there is one, must be this server, and a WebSocket must show one.
 */
export class Access {
  private readonly port: number
  private readonly tokens = new Set<string>()
  private readonly session = randomBytes(32).toString('base64url')

  constructor(port: number) {
    this.port = port
  }

  /** A new address that opens the window once. */
  freshUrl(): string {
    const token = randomBytes(32).toString('base64url')
    this.tokens.add(digest(token))
    return `http://127.0.0.1:${this.port}/?token=${token}`
  }

  /** @returns the `Set-Cookie` value, or null where the token is unknown or was used before. */
  exchange(token: string): string | null {
    // Looked up by its hash: how long that takes says nothing about the token.
    if (!this.tokens.delete(digest(token))) return null
    return `${this.cookieName}=${this.session}; HttpOnly; SameSite=Strict; Path=/`
  }

  /** Why a request is refused before anything looks at it; null where it may go on. */
  refusal(request: IncomingMessage): string | null {
    const { host, origin } = request.headers
    if (host !== `127.0.0.1:${this.port}` && host !== `localhost:${this.port}`)
      return 'This name is not the console’s.'
    if (origin !== undefined && origin !== `http://${host}`)
      return 'Another page may not speak to the console.'
    const site = request.headers['sec-fetch-site']
    const navigation =
      request.headers['sec-fetch-mode'] === 'navigate' && request.headers['sec-fetch-dest'] === 'document'
    if (site !== undefined && site !== 'same-origin' && site !== 'none' && !navigation)
      return 'Another page may not speak to the console.'
    return null
  }

  /** Whether the request shows the cookie that a token was exchanged for. */
  isKnown(request: IncomingMessage): boolean {
    const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim())
    const shown = cookies.find((cookie) => cookie.startsWith(`${this.cookieName}=`))
    return shown !== undefined && same(shown.slice(this.cookieName.length + 1), this.session)
  }

  /** Cookies are shared by all ports of a host; the port in the name keeps two consoles from signing each other out. */
  private get cookieName(): string {
    return `ringside-${this.port}`
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex')
const same = (a: string, b: string) => timingSafeEqual(Buffer.from(digest(a)), Buffer.from(digest(b)))
