import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import type { HostKey } from '#shared/ssh/known-hosts.ts'

/** First bytes of a key revocation list as `ssh-keygen -k` makes it. */
const krlMagic = 'SSHKRL\n\0'

/**
 * Whether the file of `RevokedHostKeys` refuses a key: a list of public keys, or a revocation list, which `ssh-keygen` reads.
 * @throws {AppError} `known_hosts_unreadable` where it cannot be read: as for `ssh` itself, every key is refused then.
 */
export async function isRevokedBy(file: string, key: HostKey): Promise<boolean> {
  const bytes = await readFile(file).catch((failure: NodeJS.ErrnoException) => {
    throw unreadable(file, failure.message)
  })
  if (bytes.subarray(0, krlMagic.length).toString('latin1') === krlMagic) return inRevocationList(file, key)
  const lines = bytes.toString().split(/\r?\n/)
  return lines.some((line) => !line.trimStart().startsWith('#') && line.split(/\s+/).includes(key.base64))
}

async function inRevocationList(file: string, { type, base64 }: HostKey): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'ringside-key-'))
  try {
    const path = join(folder, 'key.pub')
    await writeFile(path, `${type} ${base64}\n`)
    const { code, said } = await new Promise<{ code: number; said: string }>((resolve) => {
      execFile('ssh-keygen', ['-Q', '-f', file, path], (failure, stdout, stderr) =>
        resolve({
          code: typeof failure?.code === 'number' ? failure.code : failure ? -1 : 0,
          said: stdout + stderr,
        }),
      )
    })
    if (code === 0) return false
    if (/REVOKED/.test(said)) return true
    throw unreadable(file, said.trim().split('\n').at(-1) ?? 'ssh-keygen does not read it')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const unreadable = (file: string, why: string) =>
  new AppError(
    'known_hosts_unreadable',
    `${file}, which lists revoked host keys, cannot be read (${why}), so every key is refused.`,
  )
