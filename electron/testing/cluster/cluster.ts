import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { KubeClient } from '#services/kube/client.ts'
import { identityOf, loadKubeconfig, targetOf } from '#services/kube/kubeconfig.ts'

/** The kubeconfig that the tests were given; see `e2e/cluster`. */
export function testKubeconfig(): string {
  const path = process.env.RINGSIDE_TEST_KUBECONFIG
  if (path) return path
  throw new Error('RINGSIDE_TEST_KUBECONFIG names no kubeconfig; `npm run test:cluster` brings a cluster up.')
}

/**
 * Where the cluster is one that `e2e/cluster` made, its folder: then its programs may be stopped, its images are there, and there are
 * kubeconfigs of others. Null for a cluster of somebody else.
 */
export const ownCluster: string | null = process.env.RINGSIDE_TEST_CLUSTER_DIR || null

export const images = { shell: 'ringside.test/shell:1', verifier: 'ringside.test/verifier:1' }

export async function testClient(path = testKubeconfig()): Promise<KubeClient> {
  const config = await loadKubeconfig({ KUBECONFIG: path })
  const target = targetOf(config, config.current ?? '')
  return new KubeClient(target, await identityOf(target), process.env)
}

/** A test's own preparations wait longer than a person would: the machine may be busy with the other tests. */
const limitMs = 60_000

/** A namespace of the running test's own, deleted with all that is in it when that ends. */
export async function testNamespace(client: KubeClient): Promise<string> {
  const name = `ringside-test-${randomBytes(4).toString('hex')}`
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
  await client.json('/api/v1/namespaces', { method: 'POST', body, limitMs })
  onTestFinished(async () => {
    await client.json(`/api/v1/namespaces/${name}`, { method: 'DELETE', limitMs })
  })
  // No pod is admitted before its service account is there.
  await until(async () => {
    const account = client.json(`/api/v1/namespaces/${name}/serviceaccounts/default`)
    return account.then(
      () => true,
      () => false,
    )
  })
  return name
}

type PodOptions = {
  name: string
  labels?: Record<string, string>
  /** Containers by name, each a script for the shell image, or whole. */
  containers: Record<string, string | Record<string, unknown>>
  restartPolicy?: 'Always' | 'Never' | 'OnFailure'
  volumes?: unknown[]
}

/** Starts a pod and waits until it runs (or has ended). @returns its UID. */
export async function startPod(client: KubeClient, namespace: string, pod: PodOptions): Promise<string> {
  const containers = Object.entries(pod.containers).map(([name, what]) => ({
    name,
    image: images.shell,
    imagePullPolicy: 'Never',
    ...(typeof what === 'string' ? { command: ['/bin/sh', '-c', what] } : what),
  }))
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: pod.name, labels: pod.labels ?? {} },
    spec: {
      containers,
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      restartPolicy: pod.restartPolicy ?? 'Never',
      volumes: pod.volumes ?? [],
    },
  }
  const path = `/api/v1/namespaces/${namespace}/pods`
  await client.json(path, { method: 'POST', body, limitMs })
  type Seen = { metadata: { uid: string }; status: { phase: string } }
  let seen: Seen | null = null
  await until(async () => {
    seen = (await client.json(`${path}/${pod.name}`, { limitMs })) as Seen
    return seen.status.phase !== 'Pending'
  })
  return (seen as Seen | null)?.metadata.uid ?? ''
}

export async function deletePod(client: KubeClient, namespace: string, name: string): Promise<void> {
  await client.json(`/api/v1/namespaces/${namespace}/pods/${name}`, {
    method: 'DELETE',
    query: { gracePeriodSeconds: 0 },
    limitMs,
  })
}

/** Stops or starts programs of our own cluster: an outage of the API server, a dead node. */
export async function control(action: 'stop' | 'start', ...services: string[]): Promise<void> {
  const main = join(import.meta.dirname, '../../../e2e/cluster/main.ts')
  await promisify(execFile)(process.execPath, [main, action, ...services], {
    env: { ...process.env, RINGSIDE_CLUSTER_DIR: ownCluster ?? '' },
  })
}

/** Asks until it holds; the test's own limit ends it otherwise. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 100))
}
