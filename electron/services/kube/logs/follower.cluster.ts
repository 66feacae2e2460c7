import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  deletePod,
  ownCluster,
  startPod,
  testClient,
  testNamespace,
  until,
} from '../../../testing/cluster/cluster.ts'
import { apiProxy } from '../../../testing/cluster/proxy.ts'
import type { KubeClient } from '../client.ts'
import type { LogMark } from './container-log.ts'
import { LogFollower } from './follower.ts'
import type { LogLine } from './line.ts'

const forOwn = test.skipIf(ownCluster === null)

/** Follows and remembers everything. */
function follow(client: KubeClient, namespace: string, selector: string) {
  const lines: LogLine[] = []
  const marks: LogMark[] = []
  const follower = new LogFollower({
    ...{ client, namespace, selector, tail: null },
    take: (given) => void lines.push(...given),
    onMark: (mark) => marks.push(mark),
  })
  onTestFinished(() => follower.dispose())
  return {
    follower,
    lines,
    marks,
    texts: (container?: string) =>
      lines.filter((line) => container === undefined || line.container === container).map(({ text }) => text),
    kinds: () => marks.map(({ kind }) => kind),
    source: (pod: string) => follower.state.sources.find((source) => source.pod === pod),
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`)
/** Counts up, a tenth of a second for every `each` lines. */
const count = (to: number, each: number) =>
  `i=0; while [ $i -lt ${to} ]; do i=$((i+1)); echo "line $i"; [ $((i % ${each})) = 0 ] && sleep 0.1; done`

test('the containers of all pods of a selection come as one stream, also of pods that come later, until they are gone', async () => {
  const client = await testClient()
  const namespace = await testNamespace(client)
  const labels = { app: 'a' }
  await startPod(client, namespace, {
    ...{ name: 'one', labels },
    containers: {
      left: 'echo l1; sleep 1; echo l2; sleep 600',
      right: 'sleep 0.5; echo r1; echo r2 >&2; sleep 600',
    },
  })
  await startPod(client, namespace, { name: 'other', containers: { left: 'echo no; sleep 600' } })
  const log = follow(client, namespace, 'app=a')
  await until(() => log.lines.length >= 4)
  await startPod(client, namespace, { name: 'two', labels, containers: { left: 'echo second; exit 3' } })
  await until(() => log.source('two')?.state === 'ended')
  await deletePod(client, namespace, 'one')
  await deletePod(client, namespace, 'two')
  await until(() => log.follower.state.sources.every(({ state }) => state === 'gone'))
  expect({
    all: log.lines.map(({ pod, container, text }) => `${pod}/${container} ${text}`).sort(),
    left: log.lines
      .filter(({ pod, container }) => pod === 'one' && container === 'left')
      .map(({ text }) => text),
    ended: log.marks.find(({ kind }) => kind === 'ended')?.text,
  }).toEqual({
    all: ['one/left l1', 'one/left l2', 'one/right r1', 'one/right r2', 'two/left second'],
    left: ['l1', 'l2'],
    ended: 'ended: Error, exit code 3',
  })
})

test('after a crash the last words of the container before come first, and the next one’s after them', async () => {
  const client = await testClient()
  const namespace = await testNamespace(client)
  // The first life ends at once, the second stays.
  const script =
    'if [ -e /once/x ]; then echo second life; sleep 600; else touch /once/x; echo first life; sleep 0.2; echo last words >&2; exit 7; fi'
  await startPod(client, namespace, {
    name: 'crash',
    restartPolicy: 'Always',
    volumes: [{ name: 'once', emptyDir: {} }],
    containers: {
      main: { command: ['/bin/sh', '-c', script], volumeMounts: [{ name: 'once', mountPath: '/once' }] },
    },
  })
  const log = follow(client, namespace, 'metadata.name=crash')
  await until(() => log.texts().includes('second life'))
  expect({
    lines: log.lines.map(({ restart, text }) => `${restart} ${text}`),
    restarted: log.marks.filter(({ kind }) => kind === 'restarted').map(({ text }) => text),
  }).toEqual({
    lines: ['0 first life', '0 last words', '1 second life'],
    restarted: ['was started again (Error, exit code 7)'],
  })
})

forOwn('cut again and again, every line comes once and in order (needs a cluster of our own)', async () => {
  const { relay, kubeconfig } = await apiProxy()
  const client = await testClient(kubeconfig)
  const namespace = await testNamespace(client)
  await startPod(client, namespace, { name: 'count', containers: { main: count(6_000, 100) } })
  const log = follow(client, namespace, 'metadata.name=count')
  for (const at of [500, 1_500, 3_000, 4_000]) {
    await until(() => log.lines.length >= at)
    relay.cut()
  }
  await until(() => log.source('count')?.state === 'ended')
  expect(log.texts()).toEqual(numbers(6_000))
  expect(log.kinds().filter((kind) => kind === 'gap')).toEqual([])
  expect(log.source('count')?.opened).toBeGreaterThan(4)
})

forOwn(
  'a log that is rotated under its reader goes on, every line once and in order (needs a cluster of our own)',
  async () => {
    const client = await testClient()
    const namespace = await testNamespace(client)
    // The node looks every ten seconds whether a log is beyond 10 MiB.
    const long = 'x'.repeat(400)
    const script = `i=0; while [ $i -lt 30000 ]; do i=$((i+1)); echo "line $i ${long}"; done; j=0; while [ $j -lt 30 ]; do j=$((j+1)); echo "after $j"; sleep 1; done; echo done`
    await startPod(client, namespace, { name: 'much', containers: { main: script } })
    const log = follow(client, namespace, 'metadata.name=much')
    await until(() => log.texts().at(-1) === 'done')
    const short = log.texts().map((text) => text.replace(/ x+$/, ''))
    const wanted = [
      ...numbers(30_000),
      ...Array.from({ length: 30 }, (_, index) => `after ${index + 1}`),
      'done',
    ]
    expect(short.length).toBe(wanted.length)
    expect(short).toEqual(wanted)
  },
)

forOwn(
  'who may not read pods is told so, by name of what was refused (needs a cluster of our own)',
  async () => {
    const client = await testClient(join(ownCluster ?? '', 'kubeconfig-viewer'))
    const log = follow(client, 'default', 'app=a')
    await until(() => log.follower.state.trouble !== null)
    expect(log.follower.state.trouble).toMatch(/pods is forbidden: User "test-viewer" cannot list/)
  },
)
