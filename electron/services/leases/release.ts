import { rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { resolve, sep } from 'node:path'
import { AppError, toAppError } from '#shared/base/errors.ts'
import type { Lease } from '#shared/domain/lease.ts'
import { endProcess, findByArgument, isAlive, type ProcessIdentity } from '../box/process-identity.ts'

/** What was looked at, in words, after the thing was given back; or why it was not. */
export type Released = { gone: true; proof: string } | { gone: false; why: string }

/** Things that are on other machines: their leases name the box. */
export type RemoteLeases = {
  /** What is there of it, in words. @throws {AppError} `unreachable` where the box does not answer. */
  look(lease: Lease): Promise<string>
  release(lease: Lease): Promise<Released>
}

/** On another machine: behind SSH, or in a cluster. */
export const isRemote = (lease: Lease): boolean => placeOf(lease) !== null

const placeOf = ({ identity: { box, cluster } }: Lease): string | null => {
  if (typeof box === 'string') return box
  return typeof cluster === 'string' ? cluster : null
}

/** Each lease to those that know its kind of place. */
export const routedLeases = (boxes: RemoteLeases, clusters: RemoteLeases): RemoteLeases => {
  const of = (lease: Lease) => (typeof lease.identity.cluster === 'string' ? clusters : boxes)
  return { look: (lease) => of(lease).look(lease), release: (lease) => of(lease).release(lease) }
}

/**
 * Gives back one thing of this machine by its exact identity, and looks whether it is gone. Doing it again is harmless.
 * @param within folders may only be removed inside this one. @param remote gives back what is on another machine; without it that is left.
 */
export async function releaseLease(lease: Lease, within: string, remote?: RemoteLeases): Promise<Released> {
  if (isRemote(lease)) {
    return remote
      ? remote.release(lease).catch(notAsked)
      : { gone: false, why: `it is on ${placeOf(lease)}, which was not asked` }
  }
  switch (lease.kind) {
    case 'process':
      return releaseProcess(lease)
    case 'folder':
      return releaseFolder(String(lease.identity.path ?? ''), within)
    case 'port':
      return releasePort(lease)
    default:
      return { gone: false, why: `a ${lease.kind} is not given back by this machine` }
  }
}

/** A box that does not answer says nothing about what is on it. */
function notAsked(failure: unknown): Released {
  const { message } = toAppError(failure)
  return { gone: false, why: message.replace(/\.$/, '') }
}

/** The living processes that a lease means: the one it names, and every one that has the lease's own folder among its arguments. */
export async function processesOf(lease: Lease): Promise<ProcessIdentity[]> {
  const { pid, startedAt, argument } = lease.identity
  const found: ProcessIdentity[] = []
  if (typeof pid === 'number' && typeof startedAt === 'string' && (await isAlive({ pid, startedAt }))) {
    found.push({ pid, startedAt })
  }
  for (const one of typeof argument === 'string' ? await findByArgument(argument) : []) {
    if (!found.some((known) => known.pid === one.pid)) found.push(one)
  }
  return found
}

async function releaseProcess(lease: Lease): Promise<Released> {
  // A supervisor may start another process while its last one is ended: look again until there is none.
  for (let round = 0; round < 5; round += 1) {
    const living = await processesOf(lease)
    if (living.length === 0) return { gone: true, proof: processProof(lease) }
    await Promise.all(living.map((one) => endProcess(one, { group: false, graceMs: 5_000 })))
  }
  const left = await processesOf(lease)
  if (left.length === 0) return { gone: true, proof: processProof(lease) }
  return { gone: false, why: `process ${left.map((one) => one.pid).join(', ')} could not be ended` }
}

function processProof(lease: Lease): string {
  const { pid, argument } = lease.identity
  const named = typeof pid === 'number' ? `process ${pid} is gone` : 'it was never started'
  return typeof argument === 'string' ? `${named}; no process names ${argument}` : named
}

async function releaseFolder(path: string, within: string): Promise<Released> {
  if (!isInside(path, within)) {
    throw new AppError('internal', `${path || 'an empty path'} lies outside ${within} and is not removed.`)
  }
  await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined)
  const still = await stat(path).catch(() => null)
  return still === null
    ? { gone: true, proof: `no folder ${path}` }
    : { gone: false, why: `${path} could not be removed` }
}

function isInside(path: string, within: string): boolean {
  return path !== '' && resolve(path).startsWith(resolve(within) + sep)
}

async function releasePort(lease: Lease): Promise<Released> {
  const port = Number(lease.identity.port)
  if (!Number.isInteger(port) || port <= 0) return { gone: true, proof: 'no port was taken' }
  const host = typeof lease.identity.host === 'string' ? lease.identity.host : '127.0.0.1'
  return (await isAnswering(port, host))
    ? { gone: false, why: `something still answers on ${host}:${port}` }
    : { gone: true, proof: `nothing answers on ${host}:${port}` }
}

/** Whether anything accepts a connection on this port, of loopback where no address is named. */
export function isAnswering(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolvePromise) => {
    const socket = connect({ port, host: host.replace(/^\[|\]$/g, '') })
    const end = (answer: boolean) => {
      socket.destroy()
      resolvePromise(answer)
    }
    socket.setTimeout(2_000, () => end(true))
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })
}
