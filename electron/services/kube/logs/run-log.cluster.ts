import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parsePodLogLine } from '#shared/kube/pod-log.ts'
import { startPod, testClient, testNamespace, until } from '../../../testing/cluster/cluster.ts'
import { tempFolder } from '../../../testing/temp-folder.ts'
import { RunLog } from './run-log.ts'

test('a console that starts again goes on where the file stops, and first reads what a container said before it was started again', async () => {
  const client = await testClient()
  const namespace = await testNamespace(client)
  const script = `if [ ! -e /once/x ]; then touch /once/x; i=0; while [ $i -lt 40 ]; do i=$((i+1)); echo "first $i"; sleep 0.1; done; exit 1; fi; echo second; sleep 600`
  await startPod(client, namespace, {
    name: 'count',
    restartPolicy: 'Always',
    volumes: [{ name: 'once', emptyDir: {} }],
    containers: {
      main: { command: ['/bin/sh', '-c', script], volumeMounts: [{ name: 'once', mountPath: '/once' }] },
    },
  })
  const file = join(await tempFolder(), 'pods.log')
  const open = () =>
    RunLog.open({
      ...{ client, namespace, selector: 'metadata.name=count', file },
      now: () => new Date(),
      onMark: () => undefined,
    })
  const texts = async () => {
    const lines = (await readFile(file, 'utf8')).split('\n').map(parsePodLogLine)
    return lines.flatMap((line) => (line?.own ? [`${line.restart} ${line.text}`] : []))
  }
  const early = await open()
  await until(async () => (await texts()).length >= 10)
  await early.dispose()
  const then = (await texts()).length
  // Until it was started again, nobody reads.
  type Seen = { status: { containerStatuses: { restartCount: number; state: { running?: unknown } }[] } }
  await until(async () => {
    const pod = (await client.json(`/api/v1/namespaces/${namespace}/pods/count`)) as Seen
    const [status] = pod.status.containerStatuses
    return status?.restartCount === 1 && status.state.running !== undefined
  })
  const late = await open()
  await until(async () => (await texts()).at(-1) === '1 second')
  await late.dispose()
  expect(then).toBeLessThan(40)
  expect(await texts()).toEqual([
    ...Array.from({ length: 40 }, (_, index) => `0 first ${index + 1}`),
    '1 second',
  ])
})
