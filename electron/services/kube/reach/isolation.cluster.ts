import { expect, onTestFinished, test } from 'vitest'
import {
  images,
  ownCluster,
  startPod,
  testClient,
  testNamespace,
  until,
} from '../../../testing/cluster/cluster.ts'
import { VerifierClient } from '../../verifier/client.ts'
import { openForward } from './forward.ts'

const right =
  'def required_capacity(bookings):\n    points = sorted([(s, 1) for s, e in bookings] + [(e, -1) for s, e in bookings], key=lambda p: (p[0], p[1]))\n    most = now = 0\n    for _, step in points:\n        now += step\n        most = max(most, now)\n    return most\n'

/** A verifier in a pod whose container is confined as given; asked through a forward. */
async function verifierIn(
  name: string,
  securityContext: Record<string, unknown>,
  env: Record<string, string> = {},
) {
  const client = await testClient()
  const namespace = await testNamespace(client)
  await startPod(client, namespace, {
    name,
    containers: {
      verifier: {
        image: images.verifier,
        securityContext,
        env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
      },
    },
  })
  const forward = await openForward(client, { namespace, pod: name, port: 8080 })
  onTestFinished(() => forward.dispose())
  const verifier = new VerifierClient(forward.url)
  await until(() =>
    verifier.health().then(
      () => true,
      () => false,
    ),
  )
  const health = await verifier.health()
  const grades = []
  const items = [{ id: 'a', task: 'required-capacity', body: right }]
  for await (const line of verifier.grade({ run: 'r-20261129-aaaaaa', items })) grades.push(line)
  const { status, reward, reason, isolation } = grades[0] ?? {}
  return {
    grade: { status, reward, reason, isolation },
    ready: health.ready,
    notReady: health.notReady,
    detail: health.isolationDetail,
  }
}

const plain = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }
/** What many clusters put on every pod; it refuses new user namespaces, and with them bubblewrap. */
const filtered = { ...plain, seccompProfile: { type: 'RuntimeDefault' } }
/** Root that may become other users, and nothing else. */
const mayBecomeOthers = {
  runAsUser: 0,
  capabilities: { drop: ['ALL'], add: ['SETUID', 'SETGID', 'CHOWN', 'KILL'] },
  seccompProfile: { type: 'RuntimeDefault' },
}
const fromRepository = {
  RINGSIDE_REMOTE: '/opt/ringside/suites.git',
  RINGSIDE_SUITE: 'booking/repaired',
  RINGSIDE_COMMIT: 'main',
}

// The image is one that our own cluster has.
test.skipIf(ownCluster === null).each([
  [
    'unfiltered',
    'a sandbox in the pod',
    plain,
    {},
    {
      grade: { status: 'passed', reward: 1, reason: null, isolation: 'sandbox' },
      ready: true,
      notReady: null,
      detail: expect.stringContaining('bubblewrap with'),
    },
  ],
  [
    'filtered',
    'the container only, and says so',
    filtered,
    {},
    {
      grade: { status: 'passed', reward: 1, reason: null, isolation: 'container' },
      ready: true,
      notReady: null,
      detail: expect.stringMatching(/^Container only: .*bubblewrap does not work here/),
    },
  ],
  [
    'required',
    'nothing that is enough: no body is executed, and its reward is null',
    filtered,
    { RINGSIDE_ISOLATION: 'sandbox' },
    {
      grade: {
        status: 'unresolved',
        reward: null,
        reason: 'isolation_below_required',
        isolation: 'container',
      },
      ready: false,
      notReady: 'its isolation is container, and its operator requires sandbox',
      detail: expect.stringMatching(/^Container only/),
    },
  ],
  [
    'users',
    'a user of its own for every slot, where it may become one',
    mayBecomeOthers,
    { ...fromRepository, RINGSIDE_ISOLATION: 'user' },
    {
      grade: { status: 'passed', reward: 1, reason: null, isolation: 'user' },
      ready: true,
      notReady: null,
      detail: expect.stringMatching(/^A user of its own for every slot/),
    },
  ],
])('%s pod: what holds bodies in is %s', async (name, _, securityContext, env, expected) => {
  expect(await verifierIn(name, securityContext, env)).toEqual(expected)
})
