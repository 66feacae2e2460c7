import { execFile } from 'node:child_process'
import { AppError } from '#shared/base/errors.ts'
import { connectFailure } from '../failures.ts'
import type { Hop } from '../resolve.ts'
import { certificateFiles } from './reason.ts'

/** What the system's `ssh` wrote before it gave up on `hop`, as a code and a sentence. @param reason why it was used at all. */
export async function systemFailure(
  said: string,
  hop: Hop,
  via: Hop | null,
  reason: string,
): Promise<AppError> {
  if (/REVOKED HOST KEY|key is revoked|Host key \S+ revoked/i.test(said))
    return new AppError('host_key_revoked', `The host key of ${hop.name} is revoked, says ssh.`)
  if (/IDENTIFICATION HAS CHANGED/.test(said))
    return new AppError('host_key_changed', `The host key of ${hop.name} is not the one on record, says ssh.`)
  if (/Host key verification failed/.test(said))
    return new AppError('host_key_unknown', `${hop.name} offers a host key that ssh does not know.`)
  if (/Permission denied|Too many authentication failures/i.test(said)) return denied(hop, reason)
  const line = said
    .split(/\r?\n/)
    .map((text) => text.trim())
    .filter((text) => text !== '' && !/^Warning: Permanently added/.test(text))
    .at(-1)
  return connectFailure(new Error(line ?? 'ssh ended without a word'), hop, via)
}

async function denied(hop: Hop, reason: string): Promise<AppError> {
  const where = `${hop.name} does not let ${hop.user} in; ssh tried ${reason}.`
  for (const file of await certificateFiles(hop)) {
    const fault = await faultOf(file, hop.user)
    if (fault !== null) return new AppError('login_denied', `${where} ${fault.text}`, { hint: fault.hint })
  }
  return new AppError('login_denied', where)
}

/** What is wrong with a certificate to the eye: its time, or the names it is for. */
async function faultOf(file: string, user: string): Promise<{ text: string; hint: string } | null> {
  const said = await new Promise<string>((resolve) => {
    execFile('ssh-keygen', ['-L', '-f', file], (_, stdout) => resolve(stdout))
  })
  const [, from, until] = /Valid: from (\S+) to (\S+)/.exec(said) ?? []
  const hint = `Have ${file} signed anew.`
  if (until !== undefined && Date.parse(until) < Date.now())
    return { text: `The certificate ${file} was valid until ${until}.`, hint }
  if (from !== undefined && Date.parse(from) > Date.now())
    return { text: `The certificate ${file} is not valid before ${from}.`, hint }
  const names = (/Principals:\s*\n((?:\s{12,}.*\n)*)/.exec(said)?.[1] ?? '')
    .split('\n')
    .map((name) => name.trim())
  const named = names.filter((name) => name !== '' && name !== '(none)')
  if (named.length > 0 && !named.includes(user))
    return {
      text: `The certificate ${file} is for ${named.join(', ')}.`,
      hint: `Log in as one of them, or have it signed for ${user}.`,
    }
  return null
}
