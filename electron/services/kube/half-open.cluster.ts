import { expect, onTestFinished, test } from 'vitest'
import { ownCluster, startPod, testClient, testNamespace, until } from '../../testing/cluster/cluster.ts'
import { apiProxy } from '../../testing/cluster/proxy.ts'
import { LogFollower } from './logs/follower.ts'
import { openForward } from './reach/forward.ts'
import { Reflector } from './reflector.ts'

test.skipIf(ownCluster === null)(
  'connections that died without a word are found by watch, log and forward, and nothing is lost (needs a cluster of our own)',
  async () => {
    const { relay, kubeconfig } = await apiProxy()
    const client = await testClient(kubeconfig)
    const direct = await testClient()
    const namespace = await testNamespace(direct)
    const labels = { app: 'a' }
    await startPod(direct, namespace, {
      ...{ name: 'one', labels },
      containers: {
        said: 'echo before; sleep 5; echo after; sleep 600',
        silent: 'nc -l -p 8081 -e sleep 600',
      },
    })
    const pods = new Set<string>()
    const states: string[] = []
    const reflector = new Reflector(
      client,
      { kind: 'Pod', namespace },
      {
        onList: (items) => {
          for (const { metadata } of items) pods.add(metadata.name ?? '')
        },
        onChange: (_, { metadata }) => pods.add(metadata.name ?? ''),
        onState: ({ kind, reason }) => states.push(`${kind}${reason === '' ? '' : `: ${reason}`}`),
      },
    )
    onTestFinished(() => reflector.dispose())
    const lines: string[] = []
    const marks: string[] = []
    const follower = new LogFollower({
      ...{ client, namespace, selector: 'app=a', tail: null },
      take: (given) => {
        for (const { container, text } of given) if (container === 'said') lines.push(text)
      },
      onMark: ({ container, kind, text }) => container === 'said' && marks.push(`${kind}: ${text}`),
    })
    onTestFinished(() => follower.dispose())
    const forward = await openForward(client, { namespace, pod: 'one', port: 8081 })
    onTestFinished(() => forward.dispose())
    await until(() => lines.includes('before') && pods.has('one'))
    const taken = relay.taken
    const waiting = fetch(forward.url).then(
      () => 'answered',
      () => 'ended',
    )
    await until(() => relay.taken > taken)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    relay.freeze()
    await startPod(direct, namespace, { name: 'two', containers: { main: 'sleep 600' } })
    await until(() => pods.has('two') && lines.includes('after'))
    expect({ lines, marks, forward: await waiting, states }).toEqual({
      lines: ['before', 'after'],
      marks: [
        expect.stringMatching(/^dropped: .*(had stalled|does not answer)/),
        'resumed: goes on where it stopped',
      ],
      forward: 'ended',
      states: ['live', 'lost: The watch said nothing, not even that it ended.', 'live'],
    })
  },
)
