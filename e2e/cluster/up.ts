import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { answers, nodeIsReady } from './api.ts'
import { ctr, importBaseImages } from './images.ts'
import { makeKeys } from './keys.ts'
import { prepareMachine, restoreMachine } from './machine.ts'
import { net, places } from './places.ts'
import { isUp, start, stop } from './processes.ts'
import { type Service, services, writeNodeConfig } from './services.ts'
import { say, succeeds, until } from './shell.ts'

/** How each is seen to be ready before the next is started, and how many seconds that may take. */
const ready: Partial<Record<Service, [number, () => boolean | Promise<boolean>]>> = {
  'kube-apiserver': [90, () => answers('/readyz')],
  'kube-controller-manager': [90, () => answers('/api/v1/namespaces/default/serviceaccounts/default')],
  containerd: [60, () => succeeds('ctr', ['-a', places.socket, 'version'])],
  kubelet: [120, () => nodeIsReady(net.nodeName)],
}

/** Starts what is not running, from nothing or after `stop`. About half a minute from nothing. */
export async function up(): Promise<void> {
  // What a machine that was switched off left fits nothing that is started now.
  const names = Object.keys(services) as Service[]
  if (existsSync(places.records) && !names.some(isUp)) await down()
  for (const folder of [places.records, places.logs, places.config]) mkdirSync(folder, { recursive: true })
  makeKeys()
  prepareMachine()
  writeNodeConfig()
  for (const name of names) await startService(name)
  say(`up; KUBECONFIG=${places.kubeconfig}`)
}

export async function startService(name: Service): Promise<void> {
  const [command = '', ...args] = services[name]
  start(name, command, args)
  const [seconds, holds] = ready[name] ?? [0, () => true]
  await until(`${name} to be ready (its log: ${join(places.logs, `${name}.log`)})`, seconds, holds)
  if (name === 'containerd') importBaseImages()
}

/** Ends everything that was started, the pods' processes first: their shims outlive containerd. All state goes with it. */
export async function down(): Promise<void> {
  await stop('kubelet')
  if (isUp('containerd')) endContainers()
  for (const name of Object.keys(services).reverse()) await stop(name)
  restoreMachine()
  rmSync(join(places.root, 'run'), { recursive: true, force: true })
  say('down')
}

function endContainers(): void {
  const list = (kind: string) =>
    ctr([kind, 'ls', '-q'])
      .split('\n')
      .filter((id) => id !== '')
  const quietly = (args: string[]) => succeeds('ctr', ['-a', places.socket, '-n', 'k8s.io', ...args])
  for (const id of list('tasks')) quietly(['tasks', 'kill', '-s', 'KILL', id])
  for (const id of list('tasks')) quietly(['tasks', 'delete', '--force', id])
  for (const id of list('containers')) quietly(['containers', 'rm', id])
}
