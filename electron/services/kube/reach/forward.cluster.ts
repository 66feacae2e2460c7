import { expect, onTestFinished, test } from 'vitest'
import {
  deletePod,
  images,
  startPod,
  testClient,
  testNamespace,
  until,
} from '../../../testing/cluster/cluster.ts'
import { VerifierClient } from '../../verifier/client.ts'
import { type Forward, openForward } from './forward.ts'

/** Answers every connection with the pod's own name. */
const sayName = (name: string) =>
  `mkdir -p /tmp/web && echo ${name} > /tmp/web/index.html && httpd -f -p 8080 -h /tmp/web`

async function open(
  choice: Parameters<typeof openForward>[1],
  client: Parameters<typeof openForward>[0],
): Promise<Forward> {
  const forward = await openForward(client, choice)
  onTestFinished(() => forward.dispose())
  return forward
}

const get = async (forward: Forward) => {
  const reply = await fetch(forward.url, {
    signal: AbortSignal.timeout(20_000),
    headers: { connection: 'close' },
  })
  return (await reply.text()).trim()
}

test('the verifier in a pod answers through a forward, and says what holds bodies in there', async () => {
  const client = await testClient()
  const namespace = await testNamespace(client)
  await startPod(client, namespace, {
    name: 'verifier',
    labels: { app: 'verifier' },
    containers: { verifier: { image: images.verifier } },
  })
  const forward = await open({ namespace, selector: 'app=verifier', port: 8080 }, client)
  const verifier = new VerifierClient(forward.url)
  await until(() =>
    verifier.health().then(
      () => true,
      () => false,
    ),
  )
  const health = await verifier.health()
  expect({ ...health.suite, isolation: health.isolation, ready: health.ready }).toMatchObject({
    name: 'booking-repaired',
    ready: true,
    isolation: 'sandbox',
  })
})

test('a pod that is replaced is looked up again by its labels; until there is one, the forward waits and says so', async () => {
  const client = await testClient()
  const namespace = await testNamespace(client)
  const pod = (name: string) => ({ name, labels: { app: 'a' }, containers: { web: sayName(name) } })
  await startPod(client, namespace, { ...pod('other'), labels: { app: 'b' } })
  await startPod(client, namespace, pod('first'))
  const forward = await open({ namespace, selector: 'app=a', port: 8080 }, client)
  await until(() =>
    get(forward).then(
      () => true,
      () => false,
    ),
  )
  const first = await get(forward)
  await deletePod(client, namespace, 'first')
  await until(() =>
    forward.repick().then(
      () => false,
      () => true,
    ),
  )
  const waiting = forward.state
  await expect(get(forward)).rejects.toThrow()
  await startPod(client, namespace, pod('second'))
  await until(() =>
    get(forward).then(
      () => true,
      () => false,
    ),
  )
  expect([first, waiting, await get(forward), forward.state.kind]).toEqual([
    'first',
    { kind: 'waiting', pod: null, reason: expect.stringMatching(/there is no pod app=a|first is ending/) },
    'second',
    'open',
  ])
})

test('bytes arrive whole and in order both ways, also many of them', async () => {
  const client = await testClient()
  const namespace = await testNamespace(client)
  const bytes = 8 * 1024 * 1024
  const script = `mkdir -p /tmp/web && head -c ${bytes} /dev/urandom > /tmp/web/big && sha256sum /tmp/web/big > /tmp/web/sum && httpd -f -p 8080 -h /tmp/web`
  await startPod(client, namespace, { name: 'big', containers: { web: script } })
  const forward = await open({ namespace, pod: 'big', port: 8080 }, client)
  await until(() =>
    fetch(`${forward.url}/sum`).then(
      (reply) => reply.ok,
      () => false,
    ),
  )
  const [sum, body] = await Promise.all([
    fetch(`${forward.url}/sum`).then((reply) => reply.text()),
    fetch(`${forward.url}/big`).then((reply) => reply.arrayBuffer()),
  ])
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', body)).toString('hex')
  expect([body.byteLength, digest]).toEqual([bytes, sum.slice(0, 64)])
})
