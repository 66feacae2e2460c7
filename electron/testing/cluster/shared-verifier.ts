import { Writable } from 'node:stream'
import type { KubeClient } from '#services/kube/client.ts'
import { images } from './cluster.ts'
import { commits } from './console.ts'

export const sharedName = 'verifier'
const labels = { app: 'verifier' }

/** A verifier as people share one: its commit comes from a ConfigMap that anybody may change. */
export async function shareVerifier(client: KubeClient, namespace: string): Promise<void> {
  const meta = { name: sharedName, namespace, labels }
  const post = (path: string, body: unknown) => client.json(path, { method: 'POST', body })
  await post(`/api/v1/namespaces/${namespace}/configmaps`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'verifier-config', namespace },
    data: { commit: commits.first },
  })
  await post(`/api/v1/namespaces/${namespace}/secrets`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'verifier-token', namespace },
    stringData: { token: 'everybody-knows-this-one' },
  })
  await post(`/api/v1/namespaces/${namespace}/services`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: meta,
    spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
  })
  await post(`/apis/apps/v1/namespaces/${namespace}/deployments`, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: meta,
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 1,
          volumes: [{ name: 'token', secret: { secretName: 'verifier-token' } }],
          automountServiceAccountToken: false,
          containers: [
            {
              name: 'verifier',
              image: images.verifier,
              imagePullPolicy: 'Never',
              ports: [{ name: 'http', containerPort: 8080 }],
              env: [
                { name: 'RINGSIDE_REMOTE', value: '/opt/ringside/suites.git' },
                { name: 'RINGSIDE_SUITE', value: 'booking/weak' },
                {
                  name: 'RINGSIDE_COMMIT',
                  valueFrom: { configMapKeyRef: { name: 'verifier-config', key: 'commit' } },
                },
              ],
              volumeMounts: [{ name: 'token', mountPath: '/run/ringside', readOnly: true }],
              readinessProbe: { httpGet: { path: '/v1/ready', port: 'http' }, periodSeconds: 1 },
            },
          ],
        },
      },
    },
  })
}

/** What somebody else does to the shared verifier in the middle of the day: another commit, and a restart of it. */
export async function meddle(client: KubeClient, namespace: string): Promise<void> {
  const patch = (path: string, body: unknown) =>
    client.json(path, { method: 'PATCH', contentType: 'application/merge-patch+json', body })
  await patch(`/api/v1/namespaces/${namespace}/configmaps/verifier-config`, {
    data: { commit: commits.foreign },
  })
  await patch(`/apis/apps/v1/namespaces/${namespace}/deployments/${sharedName}`, {
    spec: { template: { metadata: { annotations: { restarted: 'yes' } } } },
  })
}

/** Runs a shell line in a pod's container and waits for its end. */
export async function execInPod(
  client: KubeClient,
  namespace: string,
  pod: string,
  line: string,
): Promise<void> {
  const { Exec } = await import('@kubernetes/client-node')
  const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() })
  const exec = new Exec(await client.kubeConfig())
  const socket = await exec.exec(
    namespace,
    pod,
    'verifier',
    ['/bin/sh', '-c', line],
    nowhere(),
    nowhere(),
    null,
    false,
  )
  await new Promise<void>((resolve) => {
    socket.on('close', () => resolve())
    socket.on('error', () => resolve())
  })
}
