import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { tokenOf } from './keys.ts'
import { places, server } from './places.ts'

/** Asks the cluster's API as its administrator. @returns status and text; status 0 where nobody answers. */
export function ask(path: string): Promise<{ status: number; text: string }> {
  return new Promise((settle) => {
    const ca = readFileSync(join(places.keys, 'ca.crt'))
    const headers = { authorization: `Bearer ${tokenOf('test-admin')}` }
    const call = request(`${server}${path}`, { ca, headers, timeout: 5_000, agent: false }, (reply) => {
      let text = ''
      reply.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      reply.on('error', () => settle({ status: 0, text: '' }))
      reply.on('end', () => settle({ status: reply.statusCode ?? 0, text }))
    })
    call.on('timeout', () => call.destroy(new Error('timeout')))
    call.on('error', () => settle({ status: 0, text: '' }))
    call.end()
  })
}

export const answers = async (path: string) => (await ask(path)).status === 200

export async function nodeIsReady(name: string): Promise<boolean> {
  const { status, text } = await ask(`/api/v1/nodes/${name}`)
  if (status !== 200) return false
  const node = JSON.parse(text) as { status?: { conditions?: { type: string; status: string }[] } }
  return node.status?.conditions?.some((item) => item.type === 'Ready' && item.status === 'True') ?? false
}
