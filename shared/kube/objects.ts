import { z } from 'zod'

/** What is read of the API's objects; fields that are not named here are kept as they are. */
const strings = z.record(z.string(), z.string())

export const KubeMeta = z.looseObject({
  name: z.string().optional(),
  namespace: z.string().optional(),
  uid: z.string().optional(),
  creationTimestamp: z.string().nullish(),
  deletionTimestamp: z.string().nullish(),
  resourceVersion: z.string().optional(),
  labels: strings.optional(),
  annotations: strings.optional(),
})

/** Any object, as it is sent and shown. */
export const KubeObject = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: KubeMeta,
})
export type KubeObject = z.infer<typeof KubeObject>

export const EnvVar = z.looseObject({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z
    .looseObject({
      configMapKeyRef: z.looseObject({ name: z.string(), key: z.string() }).optional(),
      secretKeyRef: z.looseObject({ name: z.string(), key: z.string() }).optional(),
    })
    .optional(),
})
export type EnvVar = z.infer<typeof EnvVar>

export const EnvSource = z.looseObject({
  prefix: z.string().optional(),
  configMapRef: z.looseObject({ name: z.string() }).optional(),
  secretRef: z.looseObject({ name: z.string() }).optional(),
})

export const Container = z.looseObject({
  name: z.string(),
  image: z.string(),
  command: z.array(z.string()).optional(),
  args: z.array(z.string()).optional(),
  env: z.array(EnvVar).optional(),
  envFrom: z.array(EnvSource).optional(),
  ports: z.array(z.looseObject({ containerPort: z.number() })).optional(),
  resources: z.looseObject({ requests: strings.optional(), limits: strings.optional() }).optional(),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })).optional(),
  securityContext: z.record(z.string(), z.unknown()).optional(),
})
export type Container = z.infer<typeof Container>

export const Volume = z.looseObject({
  name: z.string(),
  configMap: z.looseObject({ name: z.string() }).optional(),
  secret: z.looseObject({ secretName: z.string().optional() }).optional(),
  projected: z.looseObject({ sources: z.array(z.record(z.string(), z.unknown())).optional() }).optional(),
  persistentVolumeClaim: z.looseObject({ claimName: z.string() }).optional(),
  hostPath: z.looseObject({ path: z.string() }).optional(),
})
export type Volume = z.infer<typeof Volume>

export const PodSpec = z.looseObject({
  containers: z.array(Container).min(1),
  initContainers: z.array(Container).optional(),
  volumes: z.array(Volume).optional(),
  securityContext: z.record(z.string(), z.unknown()).optional(),
})
export type PodSpec = z.infer<typeof PodSpec>

export const Deployment = KubeObject.extend({
  kind: z.literal('Deployment'),
  spec: z.looseObject({
    replicas: z.number().optional(),
    selector: z.looseObject({ matchLabels: strings.optional() }),
    template: z.looseObject({ metadata: KubeMeta.optional(), spec: PodSpec }),
  }),
})
export type Deployment = z.infer<typeof Deployment>

export const ServicePort = z.looseObject({
  name: z.string().optional(),
  port: z.number(),
  targetPort: z.union([z.number(), z.string()]).optional(),
  protocol: z.string().optional(),
})

export const Service = KubeObject.extend({
  kind: z.literal('Service'),
  spec: z.looseObject({ selector: strings.optional(), ports: z.array(ServicePort).optional() }),
})
export type Service = z.infer<typeof Service>

/** Data of ConfigMaps by their names, as far as a Deployment refers to them. */
export type ConfigMaps = Record<string, Record<string, string>>
