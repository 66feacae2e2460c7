import type { Origin } from './derive.ts'
import { Deployment, Service } from './objects.ts'

const meta = { name: 'verifier', namespace: 'training', uid: 'u-1', resourceVersion: '7', generation: 3 }
const shared = { app: 'verifier', team: 'rl' }

/** A shared verifier with everything in it that must not be copied as it is. */
export const liveVerifier = (): Origin => ({
  deployment: Deployment.parse({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      ...meta,
      labels: shared,
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': '{}',
        'mesh.example/hostname': 'verifier.lab.example',
        'team.example/owner': 'rl',
      },
    },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'verifier' } },
      template: {
        metadata: { labels: shared, annotations: { 'kubectl.kubernetes.io/restartedAt': 'then' } },
        spec: {
          serviceAccountName: 'verifier',
          hostNetwork: true,
          nodeName: 'n1',
          containers: [
            {
              name: 'log-shipper',
              image: 'shipper:2',
            },
            {
              name: 'verifier',
              image: 'registry.example/verifier:latest',
              args: ['--verbose'],
              env: [
                {
                  name: 'SUITE_COMMIT',
                  valueFrom: { configMapKeyRef: { name: 'verifier-config', key: 'commit' } },
                },
                {
                  name: 'STRICT',
                  valueFrom: { configMapKeyRef: { name: 'verifier-config', key: 'strict' } },
                },
                { name: 'API_KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'api' } } },
                { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
              ],
              envFrom: [
                { configMapRef: { name: 'verifier-env' }, prefix: 'V_' },
                { secretRef: { name: 'verifier-secrets' } },
              ],
              ports: [{ name: 'http', containerPort: 9000 }],
              resources: { limits: { cpu: '8' } },
              securityContext: { privileged: true, runAsUser: 0 },
              volumeMounts: [
                { name: 'rules', mountPath: '/etc/rules' },
                { name: 'cache', mountPath: '/data' },
                { name: 'token', mountPath: '/run/ringside' },
              ],
            },
          ],
          volumes: [
            { name: 'rules', configMap: { name: 'rules' } },
            { name: 'token', secret: { secretName: 'everybodys' } },
            { name: 'cache', persistentVolumeClaim: { claimName: 'shared-cache' } },
            {
              name: 'api',
              projected: { sources: [{ serviceAccountToken: { path: 'token' } }] },
            },
          ],
        },
      },
    },
    status: { readyReplicas: 1 },
  }),
  service: Service.parse({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...meta, annotations: { 'mesh.example/hostname': 'verifier' } },
    spec: {
      type: 'LoadBalancer',
      clusterIP: '10.0.0.9',
      selector: { app: 'verifier' },
      ports: [{ name: 'http', port: 80, targetPort: 'http', nodePort: 31000 }],
    },
  }),
  configMaps: {
    'verifier-config': { commit: 'a'.repeat(40), strict: 'yes' },
    'verifier-env': { GIT_REMOTE: 'https://git.example/suites.git', LEVEL: '3' },
    rules: { 'rules.txt': 'be strict' },
  },
  digests: { verifier: 'registry.example/verifier@sha256:feed' },
})
