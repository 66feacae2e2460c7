import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../testing/temp-folder.ts'
import { identityOf, loadKubeconfig, targetOf, targetOfPin } from './kubeconfig.ts'

const first = `
apiVersion: v1
kind: Config
current-context: ""
clusters:
- {name: shared, cluster: {server: "https://10.0.0.1:6443/", certificate-authority: pki/ca.crt}}
users:
- {name: me, user: {token: first}}
contexts:
- {name: prod, context: {cluster: shared, user: me, namespace: training}}
- {name: broken, context: {cluster: nowhere, user: me}}
`
const second = `
current-context: lab
clusters:
- {name: shared, cluster: {server: "https://10.9.9.9:6443"}}
- {name: lab, cluster: {server: "https://10.0.0.2:6443"}}
- {name: odd, cluster: {server: 17}}
users:
- {name: me, user: {token: second, client-certificate: null}}
contexts:
- {name: prod, context: {cluster: lab, user: me}}
- {name: lab, context: {cluster: lab, user: me}}
`

async function files(contents: Record<string, string>) {
  const folder = await tempFolder()
  for (const [name, text] of Object.entries(contents)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return (...names: string[]) => ({ KUBECONFIG: names.map((name) => join(folder, name)).join(':') })
}

test('files are merged as kubectl does: the first of a name wins whole, paths are the file’s own, a broken one hides nothing', async () => {
  const env = await files({
    'a/one': first,
    'a/pki/ca.crt': 'PEM\n',
    'b/two': second,
    'b/bad': '{: nonsense',
  })
  const config = await loadKubeconfig(env('a/one', 'b/missing', 'b/bad', 'b/two'))
  const prod = targetOf(config, 'prod')
  expect({
    current: config.current,
    contexts: config.contexts.map(({ name, value }) => [name, value.cluster, value.namespace]),
    prod: [prod.namespace, prod.cluster.value.server, prod.user?.value.token],
    problems: config.problems.map((text) => text.replace(/^\S*\//, '')),
    identity: await identityOf(prod),
  }).toEqual({
    current: 'lab',
    contexts: [
      ['prod', 'shared', 'training'],
      ['broken', 'nowhere', null],
      ['lab', 'lab', null],
    ],
    prod: ['training', 'https://10.0.0.1:6443/', 'first'],
    problems: [
      expect.stringMatching(/^bad is no YAML: /),
      'two: cluster odd: server Invalid input: expected string, received number',
    ],
    identity: {
      server: 'https://10.0.0.1:6443',
      caSha256: createHash('sha256').update('PEM').digest('hex'),
    },
  })
  expect(() => targetOf(config, 'broken')).toThrow(/names cluster nowhere, which is in no file/)
  expect(() => targetOf(config, 'none')).toThrow(
    /No kubeconfig has a context none; there is prod, broken, lab/,
  )
})

test('a pinned cluster is found by what it is, whatever contexts are called or which is current', async () => {
  const renamed = first.replace('name: prod', 'name: renamed')
  const elsewhere = first.replace('10.0.0.1', '10.0.0.7')
  const env = await files({
    'a/one': first,
    'a/pki/ca.crt': 'PEM\n',
    'b/one': renamed,
    'b/pki/ca.crt': 'PEM',
    'c/one': elsewhere,
    'c/pki/ca.crt': 'PEM',
    'd/one': first,
    'd/pki/ca.crt': 'OTHER',
  })
  const target = targetOf(await loadKubeconfig(env('a/one')), 'prod')
  const pin = { context: 'prod', ...(await identityOf(target)) }
  const found = async (name: string) => {
    try {
      return (await targetOfPin(await loadKubeconfig(env(name)), pin)).context
    } catch (failure) {
      return (failure as { code: string }).code
    }
  }
  expect([await found('a/one'), await found('b/one'), await found('c/one'), await found('d/one')]).toEqual([
    'prod',
    'renamed',
    'cluster_changed',
    'cluster_changed',
  ])
})
