import type { DeriveNote, DeriveOptions, Origin, Resources } from './derive.ts'
import { commitVariableOf, pinnedEnv, remoteOf, secretSources, withValues } from './derive-env.ts'
import { deriveVolumes, type OwnConfigMap } from './derive-volumes.ts'
import type { Container, PodSpec } from './objects.ts'

export type DerivedPod = {
  spec: PodSpec
  configMaps: OwnConfigMap[]
  notes: DeriveNote[]
  commitVariable: string
  remote: string | null
  port: number
}

/** Where the verifier's image looks for its token. */
const tokenFolder = '/run/ringside'
const plainUser = 10_001
/** Fields of a pod that give it more than a verifier needs, or that are of the very pod they were read from. */
const dropped = [
  'serviceAccount',
  'serviceAccountName',
  'hostNetwork',
  'hostPID',
  'hostIPC',
  'nodeName',
  'hostname',
  'subdomain',
  'schedulerName',
]

/** @param name of the run's deployment, from which the names of its other objects follow. */
export function derivePodSpec(origin: Origin, options: DeriveOptions, name: string): DerivedPod {
  const { spec } = origin.deployment.spec.template
  const verifier = verifierOf(spec)
  const replaced = (verifier.volumeMounts ?? []).filter((mount) => mount.mountPath === tokenFolder)
  const kept = (spec.volumes ?? []).filter((volume) => !replaced.some((mount) => mount.name === volume.name))
  const volumes = deriveVolumes(kept, origin.configMaps, name)
  const pinned = pinnedEnv(verifier, origin.configMaps)
  const commitVariable = commitVariableOf(pinned.env)
  const commitSecret = verifier.env?.find((one) => one.name === commitVariable)?.valueFrom?.secretKeyRef
  const notes = [
    ...volumes.notes,
    ...pinned.notes.filter((note) => !commitSecret || !note.path.endsWith(commitVariable)),
  ]
  const containers = spec.containers.map((container) => {
    const own = container === verifier
    const { env, notes: said } = own ? pinned : pinnedEnv(container, origin.configMaps)
    if (!own) notes.push(...said)
    return confined(container, origin.digests, {
      env: own ? withValues(env, ownValues(options, commitVariable)) : env,
      ...(own && { resources: resourcesOf(options.resources) }),
      volumeMounts: own ? mountsOf(container) : (container.volumeMounts ?? []),
    })
  })
  const initContainers = (spec.initContainers ?? []).map((container) => {
    const { env, notes: said } = pinnedEnv(container, origin.configMaps)
    notes.push(...said)
    return confined(container, origin.digests, {
      env: withValues(env, { [commitVariableOf(env)]: hasCommit(container) ? options.commit : null }),
      volumeMounts: container.volumeMounts ?? [],
    })
  })
  return {
    spec: {
      ...Object.fromEntries(Object.entries(spec).filter(([key]) => !dropped.includes(key))),
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: podSecurity(spec.securityContext ?? {}),
      containers,
      ...(initContainers.length > 0 && { initContainers }),
      volumes: [
        ...volumes.volumes,
        { name: 'ringside-token', secret: { secretName: `${name}-token` } },
        ...scratchOf(verifier).map(({ name: volume }) => ({ name: volume, emptyDir: {} })),
      ],
    },
    configMaps: volumes.configMaps,
    notes,
    commitVariable,
    remote: remoteOf(pinned.env),
    port: verifier.ports?.[0]?.containerPort ?? 8080,
  }
}

/** The one that is told a commit, else the first. */
const verifierOf = (spec: PodSpec): Container => {
  const found = spec.containers.find(hasCommit) ?? spec.containers[0]
  if (!found) throw new Error('a pod has at least one container')
  return found
}

const hasCommit = (container: Container) =>
  (container.env ?? []).some((variable) => commitVariableOf([variable]) === variable.name)

const ownValues = ({ commit, workers, run, isolation }: DeriveOptions, commitVariable: string) => ({
  [commitVariable]: commit,
  RINGSIDE_RUN: run,
  RINGSIDE_WORKERS: String(workers),
  RINGSIDE_TOKEN_FILE: `${tokenFolder}/token`,
  RINGSIDE_ISOLATION: isolation,
})

/** Folders that must be writable although the root is not. */
const scratch = [
  { name: 'ringside-data', mountPath: '/data' },
  { name: 'ringside-tmp', mountPath: '/tmp' },
]

const scratchOf = (container: Container) =>
  scratch.filter(
    ({ mountPath }) => !(container.volumeMounts ?? []).some((mount) => mount.mountPath === mountPath),
  )

const mountsOf = (container: Container) => [
  ...(container.volumeMounts ?? []).filter((mount) => mount.mountPath !== tokenFolder),
  { name: 'ringside-token', mountPath: tokenFolder, readOnly: true },
  ...scratchOf(container),
]

function confined(
  container: Container,
  digests: Record<string, string>,
  changes: Partial<Container>,
): Container {
  const { envFrom: _shared, ...kept } = container
  const digest = digests[container.name]
  const sources = secretSources(container)
  const { privileged: _, runAsUser, capabilities: _dropped, ...context } = container.securityContext ?? {}
  return {
    ...kept,
    ...changes,
    image: digest ?? container.image,
    ...(sources.length > 0 && { envFrom: sources }),
    securityContext: {
      ...context,
      ...(typeof runAsUser === 'number' && runAsUser > 0 && { runAsUser }),
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      capabilities: { drop: ['ALL'] },
    },
  }
}

function podSecurity(context: Record<string, unknown>): Record<string, unknown> {
  const { runAsUser } = context
  const user = typeof runAsUser === 'number' && runAsUser > 0 ? runAsUser : plainUser
  return {
    ...context,
    runAsNonRoot: true,
    runAsUser: user,
    runAsGroup: user,
    fsGroup: user,
    seccompProfile: context.seccompProfile ?? { type: 'RuntimeDefault' },
  }
}

const resourcesOf = (resources: Resources): Container['resources'] => ({
  requests: {
    cpu: resources.cpuRequest,
    memory: resources.memoryRequest,
    'ephemeral-storage': resources.diskRequest,
  },
  limits: {
    cpu: resources.cpuLimit,
    memory: resources.memoryLimit,
    'ephemeral-storage': resources.diskLimit,
  },
})
