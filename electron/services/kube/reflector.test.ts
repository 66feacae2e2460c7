import type { ServerResponse } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../testing/temp-folder.ts'
import { KubeClient } from './client.ts'
import { identityOf, loadKubeconfig, targetOf } from './kubeconfig.ts'
import { Reflector } from './reflector.ts'
import { type Answer, replyJson, standInApi, writeKubeconfig } from './testing.ts'

const pod = (name: string, version: string) => ({
  metadata: { name, uid: `uid-${name}`, resourceVersion: version },
})
const list = (version: string, ...names: string[]) => ({
  kind: 'PodList',
  metadata: { resourceVersion: version },
  items: names.map((name) => pod(name, version)),
})
const expired = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version: 5' }

/** A reflector on a server that answers lists and watches in turn as given; the last watch is left open. */
async function reflect(lists: [number, unknown][], watches: ((response: ServerResponse) => void)[]) {
  const folder = await tempFolder()
  const answer: Answer = (request, response) => {
    if (request.url?.includes('watch=true')) {
      const watch = watches.shift()
      response.writeHead(200, { 'content-type': 'application/json' })
      if (watch) watch(response)
      else response.flushHeaders()
      return
    }
    const [code, body] = (lists.length > 1 ? lists.shift() : lists[0]) ?? [500, {}]
    replyJson(response, code, body)
  }
  const api = await standInApi(folder, answer)
  const config = await loadKubeconfig({ KUBECONFIG: writeKubeconfig(folder, api, { token: 't' }) })
  const target = targetOf(config, 'test')
  const client = new KubeClient(target, await identityOf(target), process.env)
  const told: string[] = []
  const reflector = new Reflector(
    client,
    { kind: 'Pod', namespace: 'n' },
    {
      onList: (items) => told.push(`list ${items.map(({ metadata }) => metadata.name).join()}`),
      onChange: (type, { metadata }) => told.push(`${type} ${metadata.name}`),
      onState: ({ kind, reason }) => told.push(`${kind}${reason === '' ? '' : `: ${reason}`}`),
    },
  )
  onTestFinished(() => reflector.dispose())
  return { told, api, reflector }
}

const event = (response: ServerResponse, type: string, object: unknown) =>
  response.write(`${JSON.stringify({ type, object })}\n`)

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10))
}

test('a place that the server forgot is listed anew, and what was missed is told', async () => {
  const { told } = await reflect(
    [
      [200, list('5', 'a')],
      [200, list('9', 'a', 'b')],
      [410, expired],
      [200, list('12', 'b')],
    ],
    [
      (response) => {
        event(response, 'ADDED', { kind: 'Pod', ...pod('c', '6') })
        event(response, 'ERROR', expired)
        response.end()
      },
      (response) => {
        event(response, 'ERROR', expired)
        response.end()
      },
    ],
  )
  await until(() => told.filter((line) => line.startsWith('list ')).length === 3 && told.at(-1) === 'live')
  expect(told.filter((line) => !line.startsWith('listing') && line !== 'live')).toEqual([
    'list a',
    'ADDED c',
    'list a,b',
    'list b',
  ])
  // Forgotten is no alarm.
  expect(told.filter((line) => line.startsWith('lost'))).toEqual([])
})

test('a watch goes on from where the last one ended; one that is ended again and again is listed anew', async () => {
  const end = (response: ServerResponse) => void response.end()
  const { told, api } = await reflect(
    [
      [200, list('5', 'a')],
      [200, list('9', 'a')],
    ],
    [
      (response) => {
        event(response, 'BOOKMARK', { kind: 'Pod', metadata: { resourceVersion: '7' } })
        response.end()
      },
      end,
      end,
    ],
  )
  await until(() => told.filter((line) => line === 'list a').length === 2)
  const versions = api.asked.flatMap((line) => /watch=true.*resourceVersion=(\d+)/.exec(line)?.[1] ?? [])
  expect(versions.slice(0, 3)).toEqual(['5', '7', '7'])
})

test('what this user may not see is a state with the server’s own words, and tried again', async () => {
  const refused = {
    kind: 'Status',
    code: 403,
    reason: 'Forbidden',
    message: 'pods is forbidden: User "u" cannot list',
  }
  const { told } = await reflect(
    [
      [403, refused],
      [200, list('5', 'a')],
    ],
    [],
  )
  await until(() => told.at(-1) === 'live')
  expect(told).toEqual([
    expect.stringMatching(/^lost: .*pods is forbidden: User "u" cannot list/),
    'list a',
    'live',
  ])
})
