import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { tempFolder } from '../../testing/temp-folder.ts'

const core = join(import.meta.dirname, '../core/core.ts')

/** Opens a console on a folder of its own, lists clusters, and opens one that nobody answers for; after each says what was loaded. */
const script = `
import { registerHooks } from 'node:module'
let loaded = 0
registerHooks({
  load: (url, context, next) => {
    if (url.includes('/@kubernetes/client-node/')) loaded += 1
    return next(url, context)
  },
})
const { createCore } = await import(${JSON.stringify(pathToFileURL(core).href)})
const core = await createCore({ home: process.argv[1], shell: 'cli', version: '0', onNotice: () => undefined })
const { contexts } = (await core.request('clusters.list', {})).value
const listed = { contexts: contexts.map(({ context }) => context), loaded: loaded > 0 }
const opened = await core.request('clusters.look', { context: 'nowhere', namespace: 'default' })
await core.dispose()
console.log(JSON.stringify({ listed, opened: { ok: opened.ok, code: opened.error?.code, loaded: loaded > 0 } }))
`

test('the Kubernetes client is loaded when a cluster is opened, and by nothing before', async () => {
  const folder = await tempFolder()
  const kubeconfig = join(folder, 'kubeconfig')
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
      users: [{ name: 'u', user: { token: 'none' } }],
      contexts: [{ name: 'nowhere', context: { cluster: 'c', user: 'u' } }],
    }),
  )
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', script, join(folder, 'home')],
    { encoding: 'utf8', env: { ...process.env, KUBECONFIG: kubeconfig } },
  )
  expect(stdout, stderr).not.toBe('')
  expect(JSON.parse(stdout)).toEqual({
    listed: { contexts: ['nowhere'], loaded: false },
    opened: { ok: false, code: 'unreachable', loaded: true },
  })
})
