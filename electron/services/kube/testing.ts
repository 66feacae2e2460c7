import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

export type StandInApi = {
  url: string
  /** PEM of the authority that signed the server's certificate: itself. */
  authority: string
  /** `METHOD path` of everything asked, in order. */
  asked: string[]
  answer: Answer
}

/** A server that speaks HTTPS as an API server does, and answers what the test says. Gone when the test ends. */
export async function standInApi(folder: string, answer: Answer): Promise<StandInApi> {
  const key = join(folder, 'server.key')
  const certificate = join(folder, 'server.crt')
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      key,
      '-out',
      certificate,
      '-days',
      '2',
      '-subj',
      '/CN=stand-in',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
    ],
    { stdio: 'ignore' },
  )
  const authority = readFileSync(certificate, 'utf8')
  const api: StandInApi = { url: '', authority, asked: [], answer }
  const server = createServer({ key: readFileSync(key), cert: authority }, (request, response) => {
    api.asked.push(`${request.method} ${request.url}`)
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => api.answer(request, response, body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  api.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  return api
}

export function replyJson(response: ServerResponse, code: number, value: unknown): void {
  response.writeHead(code, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

/** A kubeconfig of one context `test`, as JSON, which is YAML. @returns its path. */
export function writeKubeconfig(
  folder: string,
  api: Pick<StandInApi, 'url' | 'authority'>,
  user: Record<string, unknown>,
  name = 'config',
): string {
  const path = join(folder, name)
  writeFileSync(
    path,
    JSON.stringify({
      clusters: [
        {
          name: 'c',
          cluster: {
            server: api.url,
            'certificate-authority-data': Buffer.from(api.authority).toString('base64'),
          },
        },
      ],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'test', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'test',
    }),
  )
  return path
}
