import { createHash, createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { AppError } from '#shared/base/errors.ts'
import type { HostKeyQuestion } from '#shared/domain/box.ts'
import {
  type HostKey,
  hostName,
  isVouchedFor,
  judgeHostKey,
  type KnownHostsLine,
  knownTypes,
  parseKnownHosts,
} from '#shared/ssh/known-hosts.ts'
import { writeAtomic } from '../atomic-write.ts'
import type { Hop } from './resolve.ts'
import { isRevokedBy } from './revoked.ts'

/** A failure that an answer would solve. */
export class HostKeyError extends AppError {
  readonly question: HostKeyQuestion
  constructor(code: 'host_key_unknown' | 'host_key_changed', message: string, question: HostKeyQuestion) {
    super(code, message)
    this.question = question
  }
}

type Sourced = KnownHostsLine & { file: string }

const hmac = (salt: string, text: string) =>
  createHmac('sha1', Buffer.from(salt, 'base64')).update(text).digest('base64')

export const fingerprint = (base64: string): string =>
  `SHA256:${createHash('sha256').update(Buffer.from(base64, 'base64')).digest('base64').replace(/=+$/, '')}`

/** The key's own name for its algorithm: the first string of its wire form. */
export function keyFromWire(wire: Buffer): HostKey {
  const length = wire.length >= 4 ? wire.readUInt32BE(0) : 0
  return { type: wire.toString('latin1', 4, 4 + length), base64: wire.toString('base64') }
}

/** What is known of host keys: the user's own files, read only, and one of the console's own. */
export class HostKeys {
  /** Path of the console's own file, in the form of `known_hosts`. */
  readonly own: string

  constructor(own: string) {
    this.own = own
  }

  /** Key types on record for the hop: to be asked for first. */
  async typesFor(hop: Hop): Promise<string[]> {
    const { entries } = await this.read(hop)
    const { host, port } = placeOf(hop)
    return knownTypes(entries, host, port, hmac)
  }

  /** Whether an authority vouches for the hop's keys: what it signed, the system's own client checks. */
  async hasAuthority(hop: Hop): Promise<boolean> {
    const { entries } = await this.read(hop)
    const { host, port } = placeOf(hop)
    return isVouchedFor(entries, host, port, hmac)
  }

  /**
   * @throws {HostKeyError} where a person must decide. @throws {AppError} `host_key_revoked`, or `known_hosts_unreadable`: what cannot be read might
   * have said that the key is wrong.
   */
  async check(hop: Hop, key: HostKey): Promise<void> {
    const { entries, faults } = await this.read(hop)
    const { host, port } = placeOf(hop)
    const verdict = judgeHostKey(entries, host, port, key, hmac)
    const listed = hop.revokedHostKeys !== null && (await isRevokedBy(hop.revokedHostKeys, key))
    if (verdict.state === 'revoked' || listed) {
      const by = listed ? ` by ${hop.revokedHostKeys}` : ''
      throw new AppError(
        'host_key_revoked',
        `The ${key.type} key ${fingerprint(key.base64)} of ${hop.name} is revoked${by}.`,
      )
    }
    const [fault] = faults
    if (fault && (verdict.state !== 'known' || fault.revokes))
      throw new AppError(
        'known_hosts_unreadable',
        `${fault.text}, so the key of ${hop.name} cannot be checked.`,
      )
    if (verdict.state === 'known') return
    const known = verdict.state === 'unknown' ? [] : (verdict.lines as Sourced[])
    const question: HostKeyQuestion = {
      hop: hop.name,
      name: hostName(host, port),
      ...key,
      fingerprint: fingerprint(key.base64),
      changed: verdict.state === 'changed',
      known: known.map((line) => ({
        type: line.key.type,
        fingerprint: fingerprint(line.key.base64),
        where: `${line.file}:${line.line}`,
      })),
    }
    const offered = `${key.type} key ${question.fingerprint}`
    if (verdict.state !== 'changed')
      throw new HostKeyError(
        'host_key_unknown',
        `${hop.name} offers ${offered}, which is not on record.`,
        question,
      )
    const on = question.known.map((one) => `${one.fingerprint} (${one.where})`).join(', ')
    throw new HostKeyError(
      'host_key_changed',
      `The host key of ${hop.name} changed: it offers ${offered}, on record is ${on}.`,
      question,
    )
  }

  /** Writes down that this key is the machine's. `replaces` are keys that it has no more: they are refused from now on, whatever other files say. */
  async trust(question: HostKeyQuestion): Promise<void> {
    const { name, type, base64, known } = question
    const text = (await readOptional(this.own)) ?? ''
    const old = (line: KnownHostsLine) => line.hosts === name && line.key.type === type
    const { entries } = parseKnownHosts(text)
    const dropped = new Set(entries.filter(old).map((line) => line.line))
    const kept = text.split('\n').filter((line, i) => line !== '' && !dropped.has(i + 1))
    const refused = entries
      .filter((line) => old(line) && line.key.base64 !== base64)
      .map((line) => line.key.base64)
    for (const file of known) {
      const line = await keyAt(file.where)
      if (line && line.type === type && line.base64 !== base64) refused.push(line.base64)
    }
    const lines = [...new Set(refused)].map((key) => `@revoked ${name} ${type} ${key}`)
    await writeAtomic(this.own, `${[...kept, ...lines, `${name} ${type} ${base64}`].join('\n')}\n`)
  }

  private async read(
    hop: Hop,
  ): Promise<{ entries: Sourced[]; faults: { text: string; revokes: boolean }[] }> {
    const entries: Sourced[] = []
    const faults: { text: string; revokes: boolean }[] = []
    for (const file of [this.own, ...hop.knownHosts]) {
      try {
        const text = await readOptional(file)
        if (text === null) continue
        const parsed = parseKnownHosts(text)
        entries.push(...parsed.entries.map((entry) => ({ ...entry, file })))
        const lines = text.split(/\r?\n/)
        for (const line of parsed.unreadable)
          faults.push({
            text: `Line ${line} of ${file} is no entry`,
            revokes: lines[line - 1]?.trimStart().startsWith('@') ?? false,
          })
      } catch (failure) {
        const why = failure instanceof Error ? failure.message : String(failure)
        faults.push({ text: `${file} cannot be read (${why})`, revokes: true })
      }
    }
    return { entries, faults }
  }
}

/** An alias stands in the files without a port. */
const placeOf = (hop: Hop) =>
  hop.keyAlias === null ? { host: hop.host, port: hop.port } : { host: hop.keyAlias, port: 22 }

async function keyAt(where: string): Promise<HostKey | null> {
  const at = where.lastIndexOf(':')
  const text = await readOptional(where.slice(0, at)).catch(() => null)
  const line = parseKnownHosts(text ?? '').entries.find((entry) => entry.line === Number(where.slice(at + 1)))
  return line?.key ?? null
}

async function readOptional(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw failure
  }
}
