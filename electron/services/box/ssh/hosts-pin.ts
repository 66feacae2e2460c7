import { AppError } from '#shared/base/errors.ts'
import { addPin, type Pin, removePin } from '#shared/ssh/hosts-file.ts'
import type { LeaseLedger } from '../../leases/ledger.ts'
import type { Released } from '../../leases/release.ts'
import type { SshLink } from './link.ts'
import { sh, shOrThrow } from './remote.ts'

export type PinRequest = {
  /** The lease's id, which also marks the line. */
  lease: string
  run: string | null
  box: string
  name: string
  address: string
  /** Another file than the box's own, for a test. */
  file?: string
}

export const hostsFile = '/etc/hosts'
const changed = 9

/**
 * Pins a name to an address in the box's hosts file: one line of the lease's own. The same pin that is there already, by whomever, is left alone.
 * @throws {AppError} `id_conflict` where the name stands for another address, with nothing changed.
 */
export async function pinHost(
  link: SshLink,
  ledger: LeaseLedger,
  request: PinRequest,
): Promise<'added' | 'present'> {
  const { lease, run, box, name, address, file = hostsFile } = request
  if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(name) || !/^[0-9a-f.:]+$/i.test(address))
    throw new AppError('bad_input', `${address} ${name}: that is no address and name to pin.`)
  await ledger.intend({
    id: lease,
    run,
    kind: 'hosts_pin',
    label: `${name} → ${address} in ${file} of ${link.name}`,
    identity: { box, file, name, address },
  })
  try {
    const state = await edit(link, file, (text) => {
      const plan = addPin(text, { address, name, lease } satisfies Pin)
      if (plan.state === 'conflict')
        throw new AppError(
          'id_conflict',
          `${name} stands for ${plan.address} in line ${plan.line} of ${file} on ${link.name}.`,
          {
            hint: 'Take that line away if it is stale, or pin another name.',
          },
        )
      return plan
    })
    if (state !== 'present') await ledger.hold(lease)
    else await ledger.release(lease, 'the line was there already; nothing was added')
    return state === 'present' ? 'present' : 'added'
  } catch (failure) {
    if (failure instanceof AppError && failure.code === 'id_conflict')
      await ledger.release(lease, 'nothing was added')
    throw failure
  }
}

/** Takes away the line of this very lease and looks again. */
export async function unpinHost(link: SshLink, file: string, lease: string): Promise<Released> {
  await edit(link, file, (text) => {
    const { text: next, removed } = removePin(text, lease)
    return { state: removed > 0 ? 'remove' : 'present', text: next }
  })
  const left = removePin(await readHosts(link, file), lease).removed
  return left === 0
    ? { gone: true, proof: `no line of ${lease} in ${file} of ${link.name}` }
    : { gone: false, why: `${left} line(s) of ${lease} are still in ${file} of ${link.name}` }
}

const readHosts = (link: SshLink, file: string) => shOrThrow(link, `read ${file}`, 'cat "$1"', [file])

/** Reads, changes and writes, and begins anew where somebody else wrote in between. */
async function edit<T extends { state: string; text: string }>(
  link: SshLink,
  file: string,
  change: (text: string) => T,
): Promise<T['state']> {
  for (let tries = 0; tries < 5; tries += 1) {
    const [sum = '', ...lines] = (
      await shOrThrow(link, `read ${file}`, 'cksum < "$1" && cat "$1"', [file])
    ).split('\n')
    const { state, text } = change(lines.join('\n'))
    if (state === 'present' || state === 'own') return state
    // In place where a rename is refused: in a container the file is mounted by itself.
    const write =
      '[ "$(cksum < "$1")" = "$2" ] || exit 9; t="$1.ringside.$$"; cat > "$t" && chmod 644 "$t" && { mv -f "$t" "$1" 2> /dev/null || { cat "$t" > "$1" && rm -f "$t"; }; }'
    const { code, stderr } = await sh(link, write, [file, sum], { input: text })
    if (code === 0) return state
    if (code !== changed)
      throw new AppError(
        'unauthorized',
        `${file} of ${link.name} cannot be written: ${stderr.trim() || `exit code ${code}`}.`,
        {
          hint: 'Log in to the box as a user who may write it, or let its owner add the line.',
        },
      )
  }
  throw new AppError('unresolved', `${file} of ${link.name} is being changed by something else all the time.`)
}
