import { type ConnectOptions, connectChain } from './connect.ts'
import { resolveHops } from './resolve.ts'
import { Ssh2Transport } from './ssh2-transport.ts'
import { systemReason } from './system/reason.ts'
import type { Transport } from './transport.ts'

export type ConnectBoxOptions = Omit<ConnectOptions, 'hops' | 'compression'> & {
  name: string
  target: string
}

/** Connects by this console itself where it can, else by the system's own `ssh`; either way every hop's key is checked before anything is sent to it. */
export async function connectBox({ name, target, ...options }: ConnectBoxOptions): Promise<Transport> {
  const { env, hostKeys } = options
  const configFile = env.RINGSIDE_SSH_CONFIG
  const hops = await resolveHops(target, { configFile })
  const reason = await systemReason(hops, env, hostKeys)
  if (reason !== null) {
    const { connectBySystem } = await import('./system/connect.ts')
    return connectBySystem({ ...options, hops, box: name, reason, configFile })
  }
  const compression = hops.at(-1)?.compression ?? false
  return new Ssh2Transport(await connectChain({ ...options, hops, compression }), name)
}
