import { expect, test } from 'vitest'
import { type DeriveOptions, defaultResources, deriveVerifier } from './derive.ts'
import { namePart, verifierName } from './names.ts'
import { diffAgainst } from './object-diff.ts'
import { parseQuantity } from './quantity.ts'
import { placesFor, roomOn } from './room.ts'
import { liveVerifier } from './sample-live.ts'

const run = 'r-20261129-7k2m4q'
const commit = 'b'.repeat(40)
const options: DeriveOptions = {
  run,
  namespace: 'training',
  commit,
  replicas: 2,
  workers: 3,
  resources: defaultResources,
  isolation: 'user',
}
const labels = {
  'app.kubernetes.io/name': 'ringside-verifier',
  'app.kubernetes.io/managed-by': 'ringside',
  'ringside.dev/run': run,
}
const selector = { 'ringside.dev/run': run }
const name = `verifier-${run}`
const meta = (object: string) => ({ name: object, namespace: 'training', labels })
const locked = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
}

test('a run’s verifier after a live one: own names and selector, literal settings, less rights', () => {
  const origin = liveVerifier()
  const derived = deriveVerifier(origin, options)
  expect(origin).toEqual(liveVerifier())
  expect(derived).toEqual({
    name,
    commitVariable: 'SUITE_COMMIT',
    remote: 'https://git.example/suites.git',
    port: 9000,
    notes: [
      { level: 'info', path: 'volumes.cache', text: expect.stringMatching(/starts with an empty folder/) },
      {
        level: 'warning',
        path: 'containers.verifier.env.API_KEY',
        text: 'still comes from the shared Secret keys, key api',
      },
    ],
    objects: [
      { apiVersion: 'v1', kind: 'Secret', metadata: meta(`${name}-token`), type: 'Opaque', immutable: true },
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: meta(`${name}-config-1`),
        data: { 'rules.txt': 'be strict' },
        immutable: true,
      },
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: meta(name),
        spec: {
          podSelector: { matchLabels: selector },
          policyTypes: ['Ingress', 'Egress'],
          ingress: [{ from: [{ namespaceSelector: {} }], ports: [{ protocol: 'TCP', port: 9000 }] }],
          egress: [
            {
              ports: [
                { protocol: 'UDP', port: 53 },
                { protocol: 'TCP', port: 53 },
              ],
            },
            { ports: [22, 80, 443, 9418].map((port) => ({ protocol: 'TCP', port })) },
          ],
        },
      },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: {
          ...meta(name),
          annotations: {
            'mesh.example/hostname': `${name}.lab.example`,
            'team.example/owner': 'rl',
          },
        },
        spec: {
          replicas: 2,
          revisionHistoryLimit: 0,
          selector: { matchLabels: selector },
          template: {
            metadata: { labels },
            spec: {
              automountServiceAccountToken: false,
              enableServiceLinks: false,
              securityContext: {
                runAsNonRoot: true,
                runAsUser: 10001,
                runAsGroup: 10001,
                fsGroup: 10001,
                seccompProfile: { type: 'RuntimeDefault' },
              },
              containers: [
                {
                  name: 'log-shipper',
                  image: 'shipper:2',
                  env: [],
                  volumeMounts: [],
                  securityContext: locked,
                },
                {
                  name: 'verifier',
                  image: 'registry.example/verifier@sha256:feed',
                  args: ['--verbose'],
                  env: [
                    { name: 'V_GIT_REMOTE', value: 'https://git.example/suites.git' },
                    { name: 'V_LEVEL', value: '3' },
                    { name: 'STRICT', value: 'yes' },
                    { name: 'API_KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'api' } } },
                    { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
                    { name: 'SUITE_COMMIT', value: commit },
                    { name: 'RINGSIDE_RUN', value: run },
                    { name: 'RINGSIDE_WORKERS', value: '3' },
                    { name: 'RINGSIDE_TOKEN_FILE', value: '/run/ringside/token' },
                    { name: 'RINGSIDE_ISOLATION', value: 'user' },
                  ],
                  envFrom: [{ secretRef: { name: 'verifier-secrets' } }],
                  ports: [{ name: 'http', containerPort: 9000 }],
                  resources: {
                    requests: { cpu: '100m', memory: '256Mi', 'ephemeral-storage': '1Gi' },
                    limits: { cpu: '2', memory: '1Gi', 'ephemeral-storage': '2Gi' },
                  },
                  securityContext: locked,
                  volumeMounts: [
                    { name: 'rules', mountPath: '/etc/rules' },
                    { name: 'cache', mountPath: '/data' },
                    { name: 'ringside-token', mountPath: '/run/ringside', readOnly: true },
                    { name: 'ringside-tmp', mountPath: '/tmp' },
                  ],
                },
              ],
              volumes: [
                { name: 'rules', configMap: { name: `${name}-config-1` } },
                { name: 'cache', emptyDir: {} },
                { name: 'ringside-token', secret: { secretName: `${name}-token` } },
                { name: 'ringside-tmp', emptyDir: {} },
              ],
            },
          },
        },
      },
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { ...meta(name), annotations: { 'mesh.example/hostname': name } },
        spec: {
          type: 'ClusterIP',
          selector,
          ports: [{ name: 'http', port: 80, targetPort: 'http' }],
        },
      },
    ],
  })
})

test('a commit that comes from a Secret becomes a literal too, and a pod without any gets ours', () => {
  const origin = liveVerifier()
  const container = origin.deployment.spec.template.spec.containers[1]
  if (!container) throw new Error('the sample has two containers')
  container.env = [{ name: 'COMMIT', valueFrom: { secretKeyRef: { name: 'pins', key: 'commit' } } }]
  container.envFrom = []
  const pinned = deriveVerifier(origin, options)
  container.env = []
  const bare = deriveVerifier(origin, { ...options, commit: null })
  const variables = (made: typeof pinned) =>
    JSON.stringify(made.objects.find((object) => object.kind === 'Deployment')).match(
      /"[A-Z_]*COMMIT","value[^}]*/g,
    )
  expect({
    pinned: [pinned.commitVariable, variables(pinned), pinned.notes.map((note) => note.path)],
    bare: [bare.commitVariable, variables(bare)],
  }).toEqual({
    pinned: ['COMMIT', [`"COMMIT","value":"${commit}"`], ['volumes.cache']],
    bare: ['RINGSIDE_COMMIT', null],
  })
})

test('the diff names every leaf: copied, changed, added, removed, lists by the names of their elements', () => {
  const origin = liveVerifier()
  const { objects } = deriveVerifier(origin, options)
  const diffs = diffAgainst([origin.deployment, origin.service], objects)
  const deployment = diffs.find((diff) => diff.kind === 'Deployment')
  const at = (path: string) => deployment?.rows.find((row) => row.path === path)
  const verifier = 'spec.template.spec.containers.[verifier]'
  expect({
    names: diffs.map(({ kind, before, after }) => [kind, before, after]),
    copied: at(`${verifier}.args.[0]`),
    changed: at('spec.selector.matchLabels.app'),
    image: at(`${verifier}.image`),
    added: at(`${verifier}.env.[SUITE_COMMIT].value`),
    removed: at(`${verifier}.env.[SUITE_COMMIT].valueFrom.configMapKeyRef.name`)?.change,
    status: deployment?.rows.filter((row) => /^status|uid|resourceVersion/.test(row.path)),
  }).toEqual({
    names: [
      ['Secret', null, `${name}-token`],
      ['ConfigMap', null, `${name}-config-1`],
      ['NetworkPolicy', null, name],
      ['Deployment', 'verifier', name],
      ['Service', 'verifier', name],
    ],
    copied: { path: `${verifier}.args.[0]`, change: 'copied', before: '"--verbose"', after: '"--verbose"' },
    changed: { path: 'spec.selector.matchLabels.app', change: 'removed', before: '"verifier"', after: null },
    image: {
      path: `${verifier}.image`,
      change: 'changed',
      before: '"registry.example/verifier:latest"',
      after: '"registry.example/verifier@sha256:feed"',
    },
    added: {
      path: `${verifier}.env.[SUITE_COMMIT].value`,
      change: 'added',
      before: null,
      after: `"${commit}"`,
    },
    removed: 'removed',
    status: [],
  })
})

test('names fit a pod’s, whatever the run and the shared verifier are called', () => {
  const long = 'The_Shared.Verifier of everybody in the whole laboratory'
  const runs = [run, `${long} one`, `${long} two`, '...', '9']
  const names = runs.flatMap((one) => [verifierName('v', one), verifierName(long, one)])
  expect(names.every((one) => /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(one) && one.length <= 46)).toBe(true)
  expect(new Set(names).size).toBe(names.length)
  expect(runs.map((one) => namePart(one, 30).length <= 30)).toEqual(runs.map(() => true))
})

test('room is what nodes may give less what is asked for there; a pod goes whole onto one node', () => {
  const amounts = ['250m', '1.5Gi', '1e3', '2', '', 'lots', '100Ki'].map(parseQuantity)
  expect(amounts).toEqual([0.25, 1.5 * 2 ** 30, 1000, 2, null, null, 102400])
  const node = (label: string, cpu: string, schedulable = true) =>
    roomOn({ name: label, schedulable, allocatable: { cpu, memory: '4Gi', 'ephemeral-storage': '10Gi' } }, [
      { cpu: '500m', memory: '1Gi' },
    ])
  const wanted = { cpu: '1', memory: '1Gi', 'ephemeral-storage': '4Gi' }
  expect([
    placesFor([node('a', '2'), node('b', '2')], wanted, 2),
    placesFor([node('a', '4')], wanted, 3),
    placesFor([node('a', '1'), node('b', '8', false)], wanted, 1),
    placesFor([], wanted, 1),
  ]).toEqual([
    { placed: 2, short: null },
    { placed: 2, short: { node: 'a', kind: 'ephemeral-storage', free: 2 * 2 ** 30, wanted: 4 * 2 ** 30 } },
    { placed: 0, short: { node: 'a', kind: 'cpu', free: 0.5, wanted: 1 } },
    { placed: 0, short: null },
  ])
})
