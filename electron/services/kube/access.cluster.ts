import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { toAppError } from '#shared/base/errors.ts'
import { ownCluster, startPod, testClient, testNamespace, until } from '../../testing/cluster/cluster.ts'
import { reviewAccess } from './access.ts'
import type { KubeClient } from './client.ts'
import { deleteObject, isKind, type Kind, listObjects, pathOf, resourceOf } from './kinds.ts'
import { LogFollower } from './logs/follower.ts'
import { openForward } from './reach/forward.ts'
import { Reflector } from './reflector.ts'

const user = 'test-viewer'
const kinds = [
  'Deployment',
  'Service',
  'Pod',
  'Secret',
  'ConfigMap',
  'NetworkPolicy',
  'Lease',
] satisfies Kind[]
const kindOf = (plural: string): Kind => {
  const kind = kinds.find((one) => isKind(one) && resourceOf(one).resource === plural)
  if (!kind) throw new Error(`no kind is called ${plural}`)
  return kind
}

/** Gives the viewer exactly these rights in the namespace: `create deployments`, `get pods/log`. */
async function grant(admin: KubeClient, namespace: string, rights: string[]): Promise<void> {
  const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`
  const rules = rights.map((right) => {
    const [verb = '', resource = ''] = right.split(' ')
    const { group } = resourceOf(kindOf(resource.split('/')[0] ?? ''))
    return { apiGroups: [group], resources: [resource], verbs: [verb] }
  })
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'some' }, rules }
  await admin.json(`${path}/roles/some`, { method: 'DELETE' }).catch(() => undefined)
  await admin.json(`${path}/roles`, { method: 'POST', body: role })
}

async function bind(admin: KubeClient, namespace: string): Promise<void> {
  const body = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'some' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'some' },
    subjects: [{ kind: 'User', name: user }],
  }
  await admin.json(`/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
    method: 'POST',
    body,
  })
}

const codeAndWords = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'went through',
    (failure: unknown) => `${toAppError(failure).code}: ${toAppError(failure).message}`,
  )

/** Does what a right is for, as the product does it. @returns the state or error that it comes to, in words. */
async function attempt(client: KubeClient, namespace: string, right: string): Promise<string> {
  const [verb, resource = ''] = right.split(' ')
  if (right === 'get pods/log') return logState(client, namespace)
  if (right === 'get pods/portforward') return forwardState(client, namespace)
  if (right === 'watch pods') return watchState(client, namespace)
  const kind = kindOf(resource)
  if (verb === 'list') return codeAndWords(listObjects(client, kind, namespace))
  if (verb === 'delete')
    return codeAndWords(deleteObject(client, { kind, namespace, name: 'nothing', uid: 'none' }))
  const body = { apiVersion: 'v1', kind, metadata: { name: 'nothing', namespace } }
  return codeAndWords(
    client.json(pathOf(kind, namespace), { method: 'POST', query: { dryRun: 'All' }, body }),
  )
}

async function logState(client: KubeClient, namespace: string): Promise<string> {
  const follower = new LogFollower({
    client,
    namespace,
    selector: 'app=a',
    tail: null,
    take: () => undefined,
  })
  try {
    const source = () => follower.state.sources[0]
    await until(() => ['dropped', 'live', 'quiet'].includes(source()?.state ?? ''))
    return `${source()?.state}: ${source()?.detail}`
  } finally {
    await follower.dispose()
  }
}

async function forwardState(client: KubeClient, namespace: string): Promise<string> {
  const forward = await openForward(client, { namespace, selector: 'app=a', port: 8080 })
  try {
    await fetch(forward.url).catch(() => undefined)
    await forward.repick()
    return `${forward.state.kind}: ${forward.state.reason}`
  } finally {
    await forward.dispose()
  }
}

async function watchState(client: KubeClient, namespace: string): Promise<string> {
  const states: string[] = []
  const reflector = new Reflector(
    client,
    { kind: 'Pod', namespace },
    {
      onList: () => undefined,
      onChange: () => undefined,
      onState: ({ kind, reason }) => states.push(`${kind}: ${reason}`),
    },
  )
  try {
    await until(() => states.length > 1)
    return states[1] ?? ''
  } finally {
    await reflector.dispose()
  }
}

test.skipIf(ownCluster === null)(
  'each right withheld in turn: the review names exactly that one, and what needs it ends in a named state (needs a cluster of our own)',
  async () => {
    const admin = await testClient()
    const viewer = await testClient(join(ownCluster ?? '', 'kubeconfig-viewer'))
    const namespace = await testNamespace(admin)
    await startPod(admin, namespace, {
      name: 'one',
      labels: { app: 'a' },
      containers: { main: 'httpd -f -p 8080' },
    })
    await bind(admin, namespace)
    const all = (await reviewAccess(viewer, namespace)).map(({ what }) => what)
    const refused = async () =>
      (await reviewAccess(viewer, namespace)).filter(({ allowed }) => !allowed).map(({ what }) => what)
    onTestFinished(() => expect(all.length).toBeGreaterThan(15))
    const seen: Record<string, string> = {}
    for (const right of all) {
      await grant(
        admin,
        namespace,
        all.filter((other) => other !== right),
      )
      await until(async () => (await refused()).join() === right)
      seen[right] = await attempt(viewer, namespace, right)
    }
    const stateOf: Record<string, string> = {
      'get pods/log': 'dropped',
      'get pods/portforward': 'lost',
      'watch pods': 'lost',
    }
    expect(seen).toEqual(
      Object.fromEntries(
        all.map((right) => {
          const [verb, resource = ''] = right.split(' ')
          const words = `is forbidden: User "${user}" cannot ${verb} resource "${resource}"`
          return [
            right,
            expect.stringMatching(new RegExp(`^${stateOf[right] ?? 'kube_forbidden'}: .*${words}`)),
          ]
        }),
      ),
    )
    await grant(admin, namespace, all)
    await until(async () => (await refused()).length === 0)
    expect(await forwardState(viewer, namespace)).toBe('open: ')
    expect(await logState(viewer, namespace)).toMatch(/^live|^quiet/)
  },
)
