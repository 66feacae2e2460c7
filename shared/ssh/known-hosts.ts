/** A key as a server offers it: its algorithm's name and the base64 of its wire form. */
export type HostKey = { type: string; base64: string }

export type KnownHostsLine = {
  /** From 1. */
  line: number
  marker: 'revoked' | 'cert-authority' | null
  hosts: string
  key: HostKey
}

export type HostKeyVerdict =
  | { state: 'known'; line: number }
  /** No line speaks of this host at all. */
  | { state: 'unknown' }
  /** The host is known, by keys of other types only: what an attacker offers to avoid a mismatch, so it is asked, never assumed. */
  | { state: 'other_types'; lines: KnownHostsLine[] }
  /** The host is known with another key of this type. */
  | { state: 'changed'; lines: KnownHostsLine[] }
  | { state: 'revoked'; line: number }

/** HMAC-SHA1 of `text` under the base64 `salt`, as base64. Passed in, as this folder has no crypto. */
export type HmacSha1 = (saltBase64: string, text: string) => string

/**
 * Reads a `known_hosts` file, in every form that sshd(8) describes. Lines that are no entry are returned with their number: a file that
 * cannot be read whole must not be taken for one that says nothing.
 */
export function parseKnownHosts(text: string): { entries: KnownHostsLine[]; unreadable: number[] } {
  const entries: KnownHostsLine[] = []
  const unreadable: number[] = []
  text.split(/\r?\n/).forEach((source, i) => {
    const content = source.trim()
    if (content === '' || content.startsWith('#')) return
    const fields = content.split(/\s+/)
    const marker = fields[0]?.startsWith('@') ? (fields.shift() ?? '').slice(1) : null
    const [hosts, type, base64] = fields
    const isMarker = marker === null || marker === 'revoked' || marker === 'cert-authority'
    if (isMarker && hosts && type && base64 && /^[A-Za-z0-9+/]+={0,2}$/.test(base64)) {
      entries.push({ line: i + 1, marker, hosts, key: { type, base64 } })
    } else unreadable.push(i + 1)
  })
  return { entries, unreadable }
}

/**
 * What the entries say of `key` offered by `host`. A revoked key is refused even where another line accepts it. Certificate authorities are
 * left to the system's `ssh`, which checks principals and validity.
 *
 * @param host as the user's configuration resolves it (its `HostKeyAlias` where set), lower case; `port` makes it `[host]:port` unless 22.
 */
export function judgeHostKey(
  entries: readonly KnownHostsLine[],
  host: string,
  port: number,
  key: HostKey,
  hmac: HmacSha1,
): HostKeyVerdict {
  const name = hostName(host, port)
  const about = entries.filter((entry) => matchesHosts(entry.hosts, name, hmac))
  const same = about.filter((entry) => entry.key.type === key.type && entry.key.base64 === key.base64)
  const revoked = same.find((entry) => entry.marker === 'revoked')
  if (revoked) return { state: 'revoked', line: revoked.line }
  const known = same.find((entry) => entry.marker === null)
  if (known) return { state: 'known', line: known.line }
  const plain = about.filter((entry) => entry.marker === null)
  if (plain.length === 0) return { state: 'unknown' }
  const sameType = plain.filter((entry) => entry.key.type === key.type)
  return sameType.length > 0 ? { state: 'changed', lines: sameType } : { state: 'other_types', lines: plain }
}

/** The name under which a host stands in the file: bare on port 22, `[host]:port` elsewhere. */
export const hostName = (host: string, port: number): string =>
  port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`

/** The key types that are on record for a host, to be offered first: a client that asks for another type invites a false alarm. */
export const knownTypes = (
  entries: readonly KnownHostsLine[],
  host: string,
  port: number,
  hmac: HmacSha1,
): string[] => [
  ...new Set(
    entries
      .filter((entry) => entry.marker === null && matchesHosts(entry.hosts, hostName(host, port), hmac))
      .map((entry) => entry.key.type),
  ),
]

/** Whether a certificate authority is on record for a host. */
export const isVouchedFor = (
  entries: readonly KnownHostsLine[],
  host: string,
  port: number,
  hmac: HmacSha1,
): boolean =>
  entries.some(
    (entry) => entry.marker === 'cert-authority' && matchesHosts(entry.hosts, hostName(host, port), hmac),
  )

function matchesHosts(hosts: string, name: string, hmac: HmacSha1): boolean {
  if (hosts.startsWith('|')) {
    const [, version, salt, hash] = hosts.split('|')
    return version === '1' && salt !== undefined && hash !== undefined && hmac(salt, name) === hash
  }
  const patterns = hosts.split(',').filter((pattern) => pattern !== '')
  // A negated pattern that matches refuses the line, whatever else stands on it.
  if (patterns.some((pattern) => pattern.startsWith('!') && matchesPattern(pattern.slice(1), name)))
    return false
  return patterns.some((pattern) => !pattern.startsWith('!') && matchesPattern(pattern, name))
}

/** `*` for any run of characters, `?` for one; brackets are literal. */
function matchesPattern(pattern: string, name: string): boolean {
  const source = pattern.toLowerCase().replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${source.replaceAll('*', '.*').replaceAll('?', '.')}$`).test(name)
}
