import type { z } from 'zod'
import { VerifierResources } from '../domain/placement.ts'
import { hostnamed, plainAnnotations } from './annotations.ts'
import { derivePodSpec } from './derive-pod.ts'
import { labelsOf, selectorOf, verifierName } from './names.ts'
import type { ConfigMaps, Deployment, KubeObject, Service } from './objects.ts'

/** The verifier that a run's own is made from: a live shared one, or the project's own manifest. */
export type Origin = {
  deployment: Deployment
  service: Service | null
  /** Those that the deployment refers to, as they are now. */
  configMaps: ConfigMaps
  /** Image by digest, by container, as its running pods say; empty where none runs. */
  digests: Record<string, string>
}

/** CPU and memory requests are small, for a verifier waits most of the time; disk is requested, for the scheduler does not see an emptyDir's limit. */
export type Resources = z.infer<typeof VerifierResources>

export const defaultResources: Resources = VerifierResources.parse({})

export type DeriveOptions = {
  run: string
  namespace: string
  /** Full hash that the run's verifier is pinned to; null where the image alone says what is graded. */
  commit: string | null
  replicas: number
  workers: number
  resources: Resources
  /** Least isolation that the operator wants, told to the pod; null for whatever there is. */
  isolation: string | null
}

/** Something that a person should know before anything is created. */
export type DeriveNote = { level: 'info' | 'warning'; path: string; text: string }

export type Derived = {
  name: string
  /** In the order in which they are created; the Secret is without its token, which is made at creation. */
  objects: KubeObject[]
  notes: DeriveNote[]
  /** The variable that carries the commit. */
  commitVariable: string
  /** Git remote that the pod is configured with, if its environment says one. */
  remote: string | null
  /** Port on which the verifier listens in its pod. */
  port: number
}

/**
 * A run's own verifier after another one: the same image, arguments and settings, with its own names, labels and selector, everything that it
 * took from shared configuration as literal values, and less rights. Pure; nothing of the origin is changed.
 */
export function deriveVerifier(origin: Origin, options: DeriveOptions): Derived {
  const { deployment, service } = origin
  const { run, namespace } = options
  const name = verifierName(deployment.metadata.name ?? 'verifier', run)
  const pod = derivePodSpec(origin, options, name)
  const meta = (object: string) => ({ name: object, namespace, labels: labelsOf(run) })
  const template = deployment.spec.template.metadata
  const own = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...meta(name), ...plainAnnotations(deployment.metadata, name) },
    spec: {
      replicas: options.replicas,
      revisionHistoryLimit: 0,
      selector: { matchLabels: selectorOf(run) },
      template: { metadata: { labels: labelsOf(run), ...plainAnnotations(template, name) }, spec: pod.spec },
    },
  }
  const ports = (service?.spec.ports ?? [{ name: 'http', port: 80, targetPort: pod.port }]).map(
    ({ nodePort: _, ...port }) => port,
  )
  const mesh = hostnamed([deployment.metadata, template, service?.metadata])
  return {
    name,
    objects: [
      { apiVersion: 'v1', kind: 'Secret', metadata: meta(`${name}-token`), type: 'Opaque', immutable: true },
      ...pod.configMaps.map(({ name: map, data }) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: meta(map),
        data,
        immutable: true,
      })),
      networkPolicy(meta(name), options, { port: pod.port, remote: pod.remote, mesh }),
      own,
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { ...meta(name), ...plainAnnotations(service?.metadata, name) },
        spec: { type: 'ClusterIP', selector: selectorOf(run), ports },
      },
    ],
    notes: pod.notes,
    commitVariable: pod.commitVariable,
    remote: pod.remote,
    port: pod.port,
  }
}

/**
 * Nobody reaches the verifier over the cluster's network but through the mesh where it has a name there (a port-forward comes from inside
 * the pod), and it reaches nobody but a name server and, where its commit is fetched over the network, what git speaks.
 */
function networkPolicy(
  metadata: KubeObject['metadata'],
  { run }: DeriveOptions,
  { port, remote, mesh }: { port: number; remote: string | null; mesh: boolean },
): KubeObject {
  const dns = {
    ports: [
      { protocol: 'UDP', port: 53 },
      { protocol: 'TCP', port: 53 },
    ],
  }
  const git = { ports: [22, 80, 443, 9418].map((number) => ({ protocol: 'TCP', port: number })) }
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata,
    spec: {
      podSelector: { matchLabels: selectorOf(run) },
      policyTypes: ['Ingress', 'Egress'],
      ingress: mesh ? [{ from: [{ namespaceSelector: {} }], ports: [{ protocol: 'TCP', port }] }] : [],
      egress: remote !== null && isOverNetwork(remote) ? [dns, git] : [],
    },
  }
}

/** A remote that is a path in the pod needs no network. */
export const isOverNetwork = (remote: string): boolean =>
  !/^(file:\/\/)?\//.test(remote) && !remote.startsWith('.')
