import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toAppError } from '#shared/base/errors.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import { identifyProcess, waitUntil } from '../box/process-identity.ts'
import { KubeClient } from './client.ts'
import { execCredential } from './exec-credential.ts'
import { identityOf, loadKubeconfig, targetOf } from './kubeconfig.ts'
import { askShell } from './login-path.ts'
import { type Answer, replyJson, standInApi, writeKubeconfig } from './testing.ts'

async function clientOf(user: (folder: string) => Record<string, unknown>, answer: Answer) {
  const folder = await tempFolder()
  const api = await standInApi(folder, answer)
  const env = { ...process.env, KUBECONFIG: writeKubeconfig(folder, api, user(folder)) }
  const target = targetOf(await loadKubeconfig(env), 'test')
  return { folder, api, client: new KubeClient(target, await identityOf(target), env) }
}

function script(folder: string, name: string, lines: string[]): string {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\n${lines.join('\n')}\n`)
  chmodSync(path, 0o755)
  return path
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (failure: unknown) => {
      const { code, message } = toAppError(failure)
      return [code, message]
    },
  )

test('refusals keep the server’s words and no header; silence and a foreign certificate are told apart', async () => {
  const refuse: Answer = (request, response) => {
    const code = Number(/code=(\d+)/.exec(request.url ?? '')?.[1])
    response.setHeader('x-secret', 'do-not-show')
    replyJson(response, code, { kind: 'Status', message: `no, ${code}`, reason: 'Because', code })
  }
  const { api, client } = await clientOf(() => ({ token: 't' }), refuse)
  const codes = [401, 403, 404, 409, 410, 422, 500]
  const got = await Promise.all(codes.map((code) => failureOf(client.json('/x', { query: { code } }))))
  expect(got).toEqual(
    [
      'kube_unauthorized',
      'kube_forbidden',
      'kube_not_found',
      'kube_conflict',
      'kube_gone',
      'kube_invalid',
      'unreachable',
    ].map((code, index) => [code, `GET /x: no, ${codes[index]}.`]),
  )
  api.answer = () => undefined
  expect(await failureOf(client.json('/slow', { limitMs: 50 }))).toEqual([
    'unreachable',
    `The cluster at ${api.url} does not answer: it did not answer in time.`,
  ])
  const other = await standInApi(await tempFolder(), refuse)
  const foreign = await clientOf(() => ({ token: 't' }), refuse)
  const target = targetOf(
    await loadKubeconfig({
      KUBECONFIG: writeKubeconfig(
        foreign.folder,
        { url: other.url, authority: foreign.api.authority },
        {},
        'mixed',
      ),
    }),
    'test',
  )
  const mixed = new KubeClient(target, await identityOf(target), process.env)
  expect((await failureOf(mixed.json('/x')))?.[0]).toBe('cluster_changed')
})

test('a plugin’s credential is kept, and made anew once where the server refuses it', async () => {
  const seen: (string | undefined)[] = []
  const { client } = await clientOf(
    (folder) => ({
      exec: {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: script(folder, 'plugin', [
          `echo x >> ${folder}/calls`,
          `n=$(wc -l < ${folder}/calls)`,
          'echo "{\\"kind\\":\\"ExecCredential\\",\\"apiVersion\\":\\"client.authentication.k8s.io/v1\\",\\"status\\":{\\"token\\":\\"token-$((n))\\"}}"',
        ]),
        args: null,
        env: null,
      },
    }),
    (request, response) => {
      seen.push(request.headers.authorization)
      const fresh = request.headers.authorization !== 'Bearer token-1' || seen.length === 1
      replyJson(response, fresh ? 200 : 401, fresh ? { ok: true } : { kind: 'Status', message: 'expired' })
    },
  )
  expect([await client.json('/a'), await client.json('/b'), await client.json('/c')]).toEqual([
    { ok: true },
    { ok: true },
    { ok: true },
  ])
  expect(seen).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2', 'Bearer token-2'])
})

test('an expired token from a file is a named state, not tried over and over', async () => {
  const { api, client } = await clientOf(
    () => ({ token: 'old' }),
    (_request, response) => replyJson(response, 401, { kind: 'Status', message: 'Unauthorized' }),
  )
  expect(await failureOf(client.json('/a'))).toEqual(['kube_unauthorized', 'GET /a: Unauthorized.'])
  expect(api.asked).toEqual(['GET /a'])
})

test('a plugin that hangs is ended with all that it started, and what it said is shown', async () => {
  const folder = await tempFolder()
  const command = script(folder, 'plugin', [
    'echo "open https://login.example" >&2',
    'sleep 600 & echo $! > pid; wait',
  ])
  const spec = {
    apiVersion: 'v1',
    command: './plugin',
    args: null,
    env: null,
    installHint: null,
    provideClusterInfo: null,
  }
  const env = { ...process.env, PWD: folder }
  expect(
    await failureOf(
      execCredential(
        { ...spec, command: 'sh', args: ['-c', `cd ${folder}; ${command}`] },
        { folder, env, cluster: null, limitMs: 1_000 },
      ),
    ),
  ).toEqual(['exec_credential', 'sh did not answer within 1 s and was ended: open https://login.example.'])
  const child = Number(readFileSync(join(folder, 'pid'), 'utf8'))
  expect(await waitUntil(async () => (await identifyProcess(child)) === null, 5_000)).toBe(true)
  expect(
    await failureOf(execCredential({ ...spec, command: 'no-such-plugin' }, { folder, env, cluster: null })),
  ).toEqual(['exec_credential', 'no-such-plugin could not be started: there is no such program on the PATH.'])
  const failing = script(folder, 'failing', ['echo "please log in" >&2', 'exit 4'])
  expect(
    await failureOf(execCredential({ ...spec, command: failing }, { folder, env, cluster: null })),
  ).toEqual(['exec_credential', `${failing} ended with code 4: please log in.`])
})

test('the login shell’s PATH is found among what its start-up prints, and lost where it hangs', async () => {
  const folder = await tempFolder()
  const chatty = script(folder, 'zsh', [
    'echo "welcome"',
    'PATH=/opt/plugins:/usr/bin:/bin',
    'shift',
    'exec sh -c "$1"',
  ])
  const said = await askShell({ SHELL: chatty, PATH: '/bin:/sbin' })
  expect(said).toBe('/opt/plugins:/usr/bin:/bin:/sbin')
  expect(await askShell({ SHELL: join(folder, 'none'), PATH: '/bin' })).toBe('/bin')
})
