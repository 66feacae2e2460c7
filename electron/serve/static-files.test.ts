import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../testing/temp-folder.ts'
import { StaticFiles } from './static-files.ts'
import { ask, signIn, startShell, tinyWindow } from './testing.ts'

test('files come with their type, a closed policy and honest caching', async () => {
  const shell = await startShell()
  const cookie = await signIn(shell)
  const page = await ask(shell.port, '/', { cookie })
  const { date: _date, connection: _connection, ...headers } = page.headers
  expect({ status: page.status, headers, body: page.body }).toEqual({
    status: 200,
    body: '<!doctype html><title>Ringside</title>',
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-length': '38',
      'cache-control': 'no-store',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
        `connect-src 'self' ws://127.0.0.1:${shell.port}; worker-src 'self'; base-uri 'none'; form-action 'none'; ` +
        "object-src 'none'; frame-ancestors 'none'",
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=(), microphone=(), geolocation=(), usb=(), serial=()',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    },
  })
  const script = await ask(shell.port, '/assets/index-abc.js', { cookie })
  expect([script.status, script.headers['content-type'], script.headers['cache-control']]).toEqual([
    200,
    'text/javascript; charset=utf-8',
    'private, max-age=31536000, immutable',
  ])
})

test('no spelling of a path reaches outside the window', async () => {
  const shell = await startShell()
  const cookie = await signIn(shell)
  const paths = [
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/..%5c..%5csecret.txt',
    '//etc/passwd',
    '/index.html%00.js',
    '/assets',
    '/assets/',
    '/__proto__',
  ]
  const statuses = await Promise.all(
    paths.map(async (path) => [path, (await ask(shell.port, path, { cookie })).status]),
  )
  expect(statuses).toEqual(paths.map((path) => [path, 404]))
})

test('a link in the folder and a file of unknown type are not served', async () => {
  const folder = await tinyWindow()
  await symlink(join(folder, '../secret.txt'), join(folder, 'link.html'))
  await writeFile(join(folder, 'notes.exe'), '')
  const files = await StaticFiles.open(folder)
  expect([await files.read('/link.html'), await files.read('/notes.exe')]).toEqual([null, null])
})

test('a window that was not built is said', async () => {
  const folder = await tempFolder()
  await expect(StaticFiles.open(folder)).rejects.toMatchObject({
    code: 'not_found',
    message: `The window is not built: there is no index.html in ${folder}.`,
  })
})
