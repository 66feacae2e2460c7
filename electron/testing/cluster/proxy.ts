import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { tempFolder } from '../temp-folder.ts'
import { testKubeconfig } from './cluster.ts'

export type ApiProxy = {
  /** A kubeconfig that leads through the proxy. */
  kubeconfig: string
  /** Ends every connection at once. */
  cut(): void
  /** Connections that are open stay so, and nothing comes through them any more; new ones work. */
  freeze(): void
  /** Connections that were taken since the start. */
  taken(): number
}

/** A way to our own cluster's API that a test can cut. */
export async function apiProxy(): Promise<ApiProxy> {
  const config = JSON.parse(readFileSync(testKubeconfig(), 'utf8'))
  const target = new URL(config.clusters[0].cluster.server)
  const pairs = new Set<[Socket, Socket]>()
  let taken = 0
  const server = createServer((near) => {
    taken += 1
    const far = connect(Number(target.port), target.hostname)
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    near.pipe(far)
    far.pipe(near)
    for (const socket of pair) {
      socket.on('error', () => undefined)
      socket.on('close', () => {
        pairs.delete(pair)
        near.destroy()
        far.destroy()
      })
    }
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const cut = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  }
  onTestFinished(async () => {
    cut()
    await new Promise<void>((closed) => server.close(() => closed()))
  })
  config.clusters[0].cluster.server = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const kubeconfig = join(await tempFolder(), 'kubeconfig')
  writeFileSync(kubeconfig, JSON.stringify(config))
  const freeze = () => {
    for (const [near, far] of pairs) {
      near.unpipe(far).pause()
      far.unpipe(near).pause()
    }
  }
  return { kubeconfig, cut, freeze, taken: () => taken }
}
