import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { Relay } from '#services/kube/relay.ts'
import { tempFolder } from '../temp-folder.ts'
import { testKubeconfig } from './cluster.ts'

/** A way to our own cluster's API that a test can cut, and a kubeconfig that leads through it. */
export async function apiProxy(): Promise<{ relay: Relay; kubeconfig: string }> {
  const config = JSON.parse(readFileSync(testKubeconfig(), 'utf8'))
  const target = new URL(config.clusters[0].cluster.server)
  const relay = new Relay({ host: target.hostname, port: Number(target.port) })
  const port = await relay.listen()
  onTestFinished(() => relay.dispose())
  config.clusters[0].cluster.server = `https://127.0.0.1:${port}`
  const kubeconfig = join(await tempFolder(), 'kubeconfig')
  writeFileSync(kubeconfig, JSON.stringify(config))
  return { relay, kubeconfig }
}
