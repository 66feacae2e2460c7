import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { type ScriptedCore, scriptedCore } from '../testing/scripted-core.ts'
import { tempFolder } from '../testing/temp-folder.ts'
import { type BrowserShell, serve } from './serve.ts'

/** A browser shell over a scripted core and a window of three files, ended with the test. */
export async function startShell(core: ScriptedCore = scriptedCore({})): Promise<BrowserShell> {
  const shell = await serve({ core, rendererDir: await tinyWindow(), port: 0 })
  onTestFinished(() => shell.dispose())
  return shell
}

export async function tinyWindow(): Promise<string> {
  const outside = await tempFolder()
  const folder = join(outside, 'renderer')
  await mkdir(join(folder, 'assets'), { recursive: true })
  await writeFile(join(outside, 'secret.txt'), 'secret')
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Ringside</title>')
  await writeFile(join(folder, 'assets/index-abc.js'), 'export {}')
  return folder
}

export type Answer = { status: number; headers: IncomingHttpHeaders; body: string }

/** One request as it is written, without a client library that would tidy the path or refuse to forge a header. */
export async function ask(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Answer> {
  const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false })
  sent.end()
  const [response] = await once(sent, 'response')
  let body = ''
  for await (const chunk of response) body += chunk
  return { status: response.statusCode, headers: response.headers, body }
}

/** Exchanges a fresh token. @returns the `Cookie` header of a window that is signed in. */
export async function signIn(shell: BrowserShell): Promise<string> {
  const { pathname, search } = new URL(shell.freshUrl())
  const { headers } = await ask(shell.port, pathname + search)
  return (headers['set-cookie']?.[0] ?? '').split(';')[0] ?? ''
}

/** A window's socket, signed in; what arrives is kept in `frames`. */
export async function openWindow(
  shell: BrowserShell,
): Promise<{ socket: WebSocket; frames: unknown[]; until(count: number): Promise<unknown[]> }> {
  const origin = `http://127.0.0.1:${shell.port}`
  const socket = new WebSocket(`ws://127.0.0.1:${shell.port}/bridge`, {
    origin,
    headers: { cookie: await signIn(shell) },
  })
  onTestFinished(() => socket.terminate())
  const frames: unknown[] = []
  socket.on('message', (data) => frames.push(JSON.parse(String(data))))
  await once(socket, 'message')
  const until = async (count: number) => {
    while (frames.length < count) await once(socket, 'message')
    return frames
  }
  return { socket, frames, until }
}
