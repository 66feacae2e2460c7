import { AppError } from '#shared/base/errors.ts'
import type { Hop } from './resolve.ts'

type Ssh2Failure = Error & { level?: string; code?: string | number; reason?: number | string }

/** The one place where what ssh2 says becomes a code and a sentence. */
export function connectFailure(failure: unknown, hop: Hop, via: Hop | null): AppError {
  if (failure instanceof AppError) return failure
  const error = failure as Ssh2Failure
  const place = `${hop.host}:${hop.port}`
  const from = via === null ? '' : ` from ${via.name}`
  const say = (code: ConstructorParameters<typeof AppError>[0], message: string) =>
    new AppError(code, message, { cause: failure })
  const words = `${error.code ?? ''} ${error.message}`
  if (/ENOTFOUND|EAI_AGAIN|Name or service not known|resolve host/i.test(words))
    return say('host_not_found', `There is no address for ${hop.host}${from}.`)
  if (/ECONNREFUSED|Connection refused/i.test(words))
    return say('connection_refused', `${place} refused the connection${from}: nothing listens there.`)
  if (/EHOSTUNREACH|ENETUNREACH|No route to host|Network is unreachable/i.test(words))
    return say('no_route', `There is no route to ${place}${from}.`)
  if (/administratively prohibited/i.test(words))
    return say(
      'no_route',
      `${via?.name ?? 'The jump host'} does not forward connections (AllowTcpForwarding).`,
    )
  if (error.level === 'client-timeout' || /ETIMEDOUT|timed out/i.test(words))
    return say('timed_out', `${place} did not answer as an SSH server in time${from}.`)
  if (/Invalid identification string|Protocol version|handshake.*(format|identification)/i.test(words))
    return say('not_ssh', `What answers at ${place} is no SSH server.`)
  if (/before handshake/i.test(words))
    return say(
      'unreachable',
      `${place} closed the connection${from} before a handshake: it is no SSH server, or turns this machine away.`,
    )
  if (/no matching/i.test(words))
    return say('not_ssh', `${hop.name} and this console have no way to talk in common: ${error.message}.`)
  return say('unreachable', `The connection to ${hop.name} (${place})${from} broke: ${error.message}.`)
}

/** The server opened no channel: nothing of the request was carried out, so it may be asked again. */
export class ChannelRefused extends AppError {}

/** What a failed channel of a living connection means. */
export function channelFailure(failure: unknown, box: string): AppError {
  if (failure instanceof AppError) return failure
  const message = failure instanceof Error ? failure.message : String(failure)
  if (/Channel open failure/.test(message))
    return new ChannelRefused('unreachable', `${box} opens no more sessions: ${message}.`, { cause: failure })
  return new AppError('unreachable', `${box} did not answer: ${message}.`, { cause: failure })
}
