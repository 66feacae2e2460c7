/** A box as a person names it: an alias of their SSH configuration, or `user@host:port`. */
export type Target = { host: string; user: string | null; port: number | null }

/** Reads `alias`, `user@host`, `user@host:port`, `[::1]:22` and `ssh://…`. @returns null where it is none of these. */
export function parseTarget(text: string): Target | null {
  const plain = text
    .trim()
    .replace(/^ssh:\/\//, '')
    .replace(/\/$/, '')
  const match =
    /^(?:([^@\s]+)@)?(?:\[([0-9a-fA-F:.%a-z]+)\]|([^:\s[\]]+)|([0-9a-fA-F]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*))(?::(\d+))?$/.exec(
      plain,
    )
  if (!match) return null
  const [, user = null, bracketed, name, bare, portText] = match
  const host = bracketed ?? name ?? bare ?? ''
  const port = portText === undefined ? null : Number(portText)
  // A leading dash would be read as an option by `ssh` itself.
  if (host === '' || host.startsWith('-') || user?.startsWith('-')) return null
  if (port !== null && (port < 1 || port > 65_535)) return null
  return { host, user, port }
}

export const targetText = ({ user, host, port }: Target): string =>
  `${user === null ? '' : `${user}@`}${port !== null && host.includes(':') ? `[${host}]` : host}${port === null ? '' : `:${port}`}`

/** What the user's own client would do for one host, as `ssh -G` prints it. Lists are in the client's order; what is `none` is null or empty. */
export type ClientConfig = {
  host: string
  port: number
  user: string
  /** Stands for the host in `known_hosts`, without a port; null where it is not set. */
  keyAlias: string | null
  jumps: string[]
  proxyCommand: string | null
  identityFiles: string[]
  identitiesOnly: boolean
  /** `SSH_AUTH_SOCK` for the environment's, else a path; null where it is switched off. */
  agent: string | null
  certificateFiles: string[]
  pkcs11Provider: string | null
  knownHosts: string[]
  revokedHostKeys: string | null
  compression: boolean
}

/** @returns null where the output has no host name: then it is not what `ssh -G` prints. */
export function parseClientConfig(output: string): ClientConfig | null {
  const found = new Map<string, string[]>()
  for (const line of output.split('\n')) {
    const at = line.indexOf(' ')
    if (at <= 0) continue
    const key = line.slice(0, at).toLowerCase()
    found.set(key, [...(found.get(key) ?? []), line.slice(at + 1).trim()])
  }
  const all = (key: string) => (found.get(key) ?? []).filter((value) => value !== 'none' && value !== '')
  const one = (key: string) => all(key)[0] ?? null
  const host = one('hostname')
  if (host === null) return null
  return {
    host,
    port: Number(one('port') ?? 22),
    user: one('user') ?? '',
    keyAlias: one('hostkeyalias'),
    jumps: (one('proxyjump') ?? '').split(',').filter((jump) => jump !== ''),
    proxyCommand: one('proxycommand'),
    identityFiles: all('identityfile'),
    identitiesOnly: one('identitiesonly') === 'yes',
    agent: found.get('identityagent')?.[0] === 'none' ? null : (one('identityagent') ?? 'SSH_AUTH_SOCK'),
    certificateFiles: all('certificatefile'),
    pkcs11Provider: one('pkcs11provider'),
    knownHosts: [...words(one('userknownhostsfile')), ...words(one('globalknownhostsfile'))],
    revokedHostKeys: one('revokedhostkeys'),
    compression: one('compression') === 'yes',
  }
}

/** Paths separated by spaces, in double quotes where they hold some. */
const words = (text: string | null): string[] =>
  [...(text ?? '').matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '')
