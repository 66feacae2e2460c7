import { z } from 'zod'
import { AppError } from '#shared/base/errors.ts'
import type { SharedVerifier } from '#shared/ipc/clusters.ts'
import type { Origin } from '#shared/kube/derive.ts'
import { commitVariableOf } from '#shared/kube/derive-env.ts'
import { runLabel } from '#shared/kube/names.ts'
import { type ConfigMaps, Deployment, type KubeObject, Service } from '#shared/kube/objects.ts'
import type { KubeClient } from './client.ts'
import { listObjects, readObject } from './kinds.ts'

/** Deployments that could be a verifier others use: their name says so, or a variable of theirs names a commit. Never a run's own. */
export async function findShared(client: KubeClient, namespace: string): Promise<SharedVerifier[]> {
  const { items } = await listObjects(client, 'Deployment', namespace)
  const services = await listObjects(client, 'Service', namespace)
  return items.flatMap((item) => {
    const parsed = Deployment.safeParse(item)
    if (!parsed.success || item.metadata.labels?.[runLabel] !== undefined) return []
    const { containers } = parsed.data.spec.template.spec
    const variable = containers
      .map((one) => commitVariableOf(one.env ?? []))
      .find((name) => name !== 'RINGSIDE_COMMIT')
    const named = /verifier|grader/.test(item.metadata.name ?? '')
    const ours = containers.some((one) => (one.env ?? []).some((env) => env.name.startsWith('RINGSIDE_')))
    if (!named && !ours && variable === undefined) return []
    return [
      {
        name: item.metadata.name ?? '',
        service: serviceOf(parsed.data, services.items)?.metadata.name ?? null,
        image: containers[0]?.image ?? '',
        replicas: parsed.data.spec.replicas ?? 1,
      },
    ]
  })
}

/** The service whose selector picks the deployment's pods. */
function serviceOf(deployment: Deployment, services: KubeObject[]): Service | null {
  const labels = deployment.spec.template.metadata?.labels ?? {}
  for (const item of services) {
    const service = Service.safeParse(item)
    const selector = Object.entries(service.data?.spec.selector ?? {})
    if (service.success && selector.length > 0 && selector.every(([key, value]) => labels[key] === value))
      return service.data
  }
  return null
}

/** A shared verifier with all that it is configured by, as of now. @throws {AppError} `kube_not_found`. */
export async function readOrigin(client: KubeClient, namespace: string, name: string): Promise<Origin> {
  const found = await readObject(client, { kind: 'Deployment', namespace, name })
  if (!found) throw new AppError('kube_not_found', `There is no Deployment ${name} in ${namespace}.`)
  const deployment = Deployment.parse(found)
  const services = await listObjects(client, 'Service', namespace)
  return {
    deployment,
    service: serviceOf(deployment, services.items),
    configMaps: await configMapsOf(client, namespace, deployment),
    digests: await digestsOf(client, namespace, deployment),
  }
}

/** Those that may be read; what is missing here is said by the derivation, variable by variable. */
async function configMapsOf(
  client: KubeClient,
  namespace: string,
  deployment: Deployment,
): Promise<ConfigMaps> {
  const { containers, initContainers = [], volumes = [] } = deployment.spec.template.spec
  const all = [...containers, ...initContainers]
  const names = new Set(
    [
      ...volumes.map((volume) => volume.configMap?.name),
      ...all.flatMap((one) => (one.envFrom ?? []).map((source) => source.configMapRef?.name)),
      ...all.flatMap((one) => (one.env ?? []).map((env) => env.valueFrom?.configMapKeyRef?.name)),
    ].filter((name) => name !== undefined),
  )
  const found: ConfigMaps = {}
  for (const name of names) {
    const map = await readObject(client, { kind: 'ConfigMap', namespace, name }).catch(() => null)
    if (map)
      found[name] = z
        .record(z.string(), z.string())
        .catch({})
        .parse(map.data ?? {})
  }
  return found
}

const PodStatus = z.looseObject({
  status: z.looseObject({
    containerStatuses: z
      .array(
        z.looseObject({ name: z.string(), imageID: z.string().optional(), image: z.string().optional() }),
      )
      .optional(),
  }),
})

/** What the running pods' images really are. A digest without a repository was loaded by hand and can be pulled from nowhere. */
async function digestsOf(
  client: KubeClient,
  namespace: string,
  { spec }: Deployment,
): Promise<Record<string, string>> {
  const labels = Object.entries(spec.selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`)
  if (labels.length === 0) return {}
  const pods = await listObjects(client, 'Pod', namespace, { labels: labels.join(',') }).catch(() => ({
    items: [],
  }))
  const digests: Record<string, string> = {}
  for (const pod of pods.items) {
    const { status } = PodStatus.catch({ status: {} }).parse(pod)
    for (const { name, imageID = '' } of status.containerStatuses ?? []) {
      const image = imageID.replace(/^[a-z-]+:\/\//, '')
      if (/^[^@]+@sha256:[0-9a-f]{64}$/.test(image)) digests[name] = image
    }
  }
  return digests
}
