import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Makes a key pair of the test's own, once. @returns the private key's path. */
export function keyPair(folder: string, name: string, passphrase = '', type = 'ed25519'): string {
  const path = join(folder, name)
  if (!existsSync(path))
    execFileSync('ssh-keygen', ['-q', '-t', type, '-N', passphrase, '-f', path, '-C', name])
  return path
}

/** `type base64` of a key pair. */
export const publicOf = (path: string): string =>
  readFileSync(`${path}.pub`, 'utf8').split(' ').slice(0, 2).join(' ')
