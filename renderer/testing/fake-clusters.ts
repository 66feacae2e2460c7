import { clusterKey } from '#shared/domain/cluster.ts'
import { ClusterPlacement } from '#shared/domain/placement.ts'
import type { ContextView, LogSourceView, OurObject, ReplicaView } from '#shared/ipc/clusters.ts'
import type { Handlers } from '#shared/ipc/contract.ts'
import { deriveVerifier } from '#shared/kube/derive.ts'
import type { KubeMark } from '#shared/kube/marks.ts'
import { diffAgainst } from '#shared/kube/object-diff.ts'
import { liveVerifier } from '#shared/kube/sample-live.ts'

type ClusterRequests = Extract<keyof Handlers, `clusters.${string}`>

const lab = { server: 'https://lab.example:6443', caSha256: 'a'.repeat(64) }
const prod = { server: 'https://prod.example:6443', caSha256: 'b'.repeat(64) }
const context = (name: string, changes: Partial<ContextView>): ContextView => ({
  context: name,
  current: false,
  ...lab,
  key: clusterKey(lab),
  namespace: 'training',
  colour: 0,
  writable: false,
  problem: null,
  ...changes,
})

const action = (name: string, ...whats: string[]) =>
  whats.map((what) => ({ action: name, what, allowed: what !== 'create networkpolicies' }))

const ours: OurObject[] = ['Secret', 'NetworkPolicy', 'Deployment', 'Service'].map((kind, index) => ({
  kind,
  namespace: 'training',
  name: kind === 'Secret' ? 'verifier-r-20261128-aaaaaa-token' : 'verifier-r-20261128-aaaaaa',
  uid: `5b1c0f3e-0000-4000-8000-00000000000${index}`,
  run: 'r-20261128-aaaaaa',
  createdAt: '2026-11-28T21:04:00.000Z',
  leased: false,
}))

const mark = (
  startedAt: string,
  minute: number,
  kind: KubeMark['kind'],
  level: KubeMark['level'],
  text: string,
): KubeMark => ({
  at: new Date(Date.parse(startedAt) + minute * 60_000).toISOString(),
  kind,
  level,
  object: 'Pod verifier-7k2m4q-6d9f7-x7k2p',
  text,
})

const marksOf = (startedAt: string): KubeMark[] => [
  mark(startedAt, -0.6, 'scheduled', 'info', 'was given node gpu-2'),
  mark(startedAt, -0.5, 'started', 'info', 'container verifier was started'),
  mark(startedAt, -0.1, 'ready', 'info', 'is ready'),
  mark(startedAt, 1.1, 'oom_killed', 'error', 'container verifier was killed for its memory'),
  mark(startedAt, 1.2, 'restarted', 'warning', 'container verifier was restarted, 1 in all'),
  mark(startedAt, 1.5, 'ready', 'info', 'is ready'),
]

/** Where the fake run's verifier is, for who wants to see it in a cluster. */
export const fakePlacement: ClusterPlacement = ClusterPlacement.parse({
  kind: 'cluster',
  cluster: { ...lab, context: 'lab', namespace: 'training', namespaceUid: '0d1f3c1e' },
  from: { kind: 'copy', deployment: 'verifier' },
  commit: 'f7559f0ea09de25071fedb990d8aa007395fa4aa',
  replicas: 2,
})

const replica = (pod: string, changes: Partial<ReplicaView> = {}): ReplicaView => ({
  pod,
  uid: pod,
  state: 'ready',
  detail: '',
  restarts: 0,
  commit: 'f7559f0ea09de25071fedb990d8aa007395fa4aa',
  load: 2,
  graded: 118,
  warm: { done: 2, total: 2 },
  ...changes,
})

/** Clusters of two kubeconfigs: one that may be changed once it is switched on, one where a right is missing, one that leads nowhere. */
export function fakeClusters(startedAt: () => string, changed: () => void): Pick<Handlers, ClusterRequests> {
  let contexts = [
    context('lab', { current: true }),
    context('lab-readonly', {}),
    context('production', { ...prod, key: clusterKey(prod), colour: 1, namespace: 'default' }),
    context('old', {
      server: null,
      caSha256: null,
      key: null,
      namespace: null,
      colour: null,
      problem: 'Context old in ~/.kube/config names cluster gone, which is in no file.',
    }),
  ]
  const list = () => ({ contexts, files: ['~/.kube/config'], problems: [] })
  return {
    'clusters.list': list,
    'clusters.setWritable': ({ cluster, writable }) => {
      contexts = contexts.map((one) => (one.key === cluster ? { ...one, writable } : one))
      changed()
      return list()
    },
    'clusters.look': ({ context: name }) => ({
      version: 'v1.33.1',
      namespaceUid: '0d1f3c1e-4b1a-4a53-9a55-111111111111',
      access: [
        ...action('look', 'list deployments', 'list services', 'list pods'),
        ...action(
          'create',
          'create deployments',
          'create services',
          ...(name === 'production' ? ['create networkpolicies'] : []),
        ),
        ...action('remove', 'delete deployments', 'delete services'),
        ...action('logs', 'get pods/log'),
        ...action('reach', 'get pods/portforward'),
      ],
      shared:
        name === 'production'
          ? []
          : [
              {
                name: 'verifier',
                service: 'verifier',
                image: 'registry.example/verifier:latest',
                replicas: 1,
              },
            ],
      ours: name === 'production' ? [] : ours,
    }),
    'clusters.plan': ({ draft }) => {
      const origin = liveVerifier()
      const { kind: _, context: __, from: ___, ...options } = draft
      const derived = deriveVerifier(origin, { ...options, run: 'r-00000000-yourrn', workers: 2 })
      return {
        name: derived.name,
        diffs: diffAgainst([origin.deployment, origin.service], derived.objects),
        notes: derived.notes,
      }
    },
    'clusters.timeline': () => ({
      marks: marksOf(startedAt()),
      replicas: [
        replica('verifier-7k2m4q-6d9f7-x7k2p', { restarts: 1 }),
        replica('verifier-7k2m4q-6d9f7-b2c4d', {
          state: 'starting',
          load: 0,
          graded: 0,
          warm: { done: 0, total: 2 },
          detail: 'it is starting',
        }),
      ],
      drift: null,
      logs: { sources: logSources(), trouble: null },
      watch: { state: 'live', reason: '', since: '2026-11-29T09:00:00.000Z' },
    }),
  }
}

function logSources(): LogSourceView[] {
  const source = (
    pod: string,
    state: LogSourceView['state'],
    secondsAgo: number,
    detail = '',
  ): LogSourceView => ({
    ...{ pod, container: 'verifier', state, detail, lines: 1287 },
    lastByteAt: new Date(Date.now() - secondsAgo * 1000).toISOString(),
  })
  return [
    source('verifier-7k2m4q-6d9f7-x7k2p', 'live', 1),
    source('verifier-7k2m4q-6d9f7-b2c4d', 'quiet', 42),
    source(
      'verifier-7k2m4q-6d9f7-q9z4t',
      'dropped',
      90,
      'The cluster does not answer: the connection was cut.',
    ),
  ]
}
