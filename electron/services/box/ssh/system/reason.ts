import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { agentSocket } from '../auth.ts'
import type { HostKeys } from '../host-keys.ts'
import type { Hop } from '../resolve.ts'

/**
 * Why only the system's own `ssh` can make this connection, in words: certificates, hardware keys and tokens are its trade, of the user's as of a
 * host's. Null where this console can make it by itself.
 */
export async function systemReason(
  hops: readonly Hop[],
  env: NodeJS.ProcessEnv,
  hostKeys: HostKeys,
): Promise<string | null> {
  for (const hop of hops) {
    const reason =
      (await certificateOf(hop)) ??
      (await hardwareKeyOf(hop)) ??
      (hop.pkcs11Provider === null ? null : `the token of ${hop.pkcs11Provider}`) ??
      (await specialInAgent(hop, env)) ??
      ((await hostKeys.hasAuthority(hop)) ? `a certificate authority for the key of ${hop.name}` : null)
    if (reason !== null) return reason
  }
  return null
}

/** Files of the certificates that the client would offer: those that are named, and those beside a key, as it looks for them. */
export async function certificateFiles(hop: Hop): Promise<string[]> {
  const candidates = [...hop.certificateFiles, ...hop.identityFiles.map((file) => `${file}-cert.pub`)]
  const found = await Promise.all(candidates.map((file) => stat(file).catch(() => null)))
  return candidates.filter((_, index) => found[index] != null)
}

async function certificateOf(hop: Hop): Promise<string | null> {
  const [file] = await certificateFiles(hop)
  return file === undefined ? null : `the certificate ${file}`
}

/** The kind stands in the clear also where the key itself is protected. */
async function hardwareKeyOf(hop: Hop): Promise<string | null> {
  for (const file of hop.identityFiles) {
    const text = await readFile(file, 'latin1').catch(() => '')
    const body = /-----BEGIN OPENSSH PRIVATE KEY-----([\sA-Za-z0-9+/=]+)-----END/.exec(text)?.[1]
    const bytes = Buffer.from(body ?? '', 'base64')
    if (bytes.includes('sk-ssh-') || bytes.includes('sk-ecdsa-')) return `the hardware key ${file}`
  }
  return null
}

const listMs = 3_000

async function specialInAgent(hop: Hop, env: NodeJS.ProcessEnv): Promise<string | null> {
  const agent = hop.identitiesOnly ? null : agentSocket(hop, env)
  if (agent === null) return null
  const list = await new Promise<string>((resolve) => {
    // An agent that is dead or empty has its own word later.
    execFile('ssh-add', ['-L'], { env: { ...env, SSH_AUTH_SOCK: agent }, timeout: listMs }, (_, stdout) =>
      resolve(stdout),
    )
  })
  if (/^\S+-cert-v01@openssh\.com /m.test(list)) return 'a certificate in the agent'
  return /^sk-/m.test(list) ? 'a hardware key in the agent' : null
}
