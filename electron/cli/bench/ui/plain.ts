import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Random } from '#shared/grpo/random.ts'
import type { BenchSize } from './home.ts'

const statuses = ['passed', 'test_failed', 'build_failed', 'timed_out']
const page = `<!doctype html><meta charset="utf-8"><body style="margin:0"><canvas width="1380" height="800"></canvas>
<p id="detail"></p><script src="/plain.js"></script>`

export type Plain = { url: string; close: () => Promise<void> }

/**
 * The window as one would first write it: every row in one array, every row a point of the chart, all drawn again at every change. Its rows are made
 * on the spot and come over loopback at once, so nothing but the way itself is slow.
 */
export async function servePlain({ rollouts, steps }: BenchSize): Promise<Plain> {
  const rows = rowsOf(rollouts, steps)
  const script = await readFile(join(import.meta.dirname, 'plain.js'))
  const server = createServer(({ url }, response) => {
    if (url === '/rows') response.setHeader('content-type', 'application/json').end(rows)
    else if (url === '/plain.js') response.setHeader('content-type', 'text/javascript').end(script)
    else response.setHeader('content-type', 'text/html').end(page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The fields of a mark, and no more. */
function rowsOf(rollouts: number, steps: number): Buffer {
  const random = Random.of(3, 'plain')
  const perStep = Math.max(1, Math.round(rollouts / steps))
  const parts: Buffer[] = []
  for (let from = 0; from < rollouts; from += 10_000) {
    let text = ''
    for (let n = from; n < Math.min(rollouts, from + 10_000); n += 1) {
      const step = Math.floor(n / perStep)
      const id = `r-20261129-mmmmmm/${step}/${Math.floor((n % perStep) / 10)}/${n % 10}`
      text += `${n === 0 ? '[' : ','}{"id":"${id}","step":${step},"status":"${random.pick(statuses)}","reward":${random.float().toFixed(3)}}`
    }
    parts.push(Buffer.from(text))
  }
  return Buffer.concat([...parts, Buffer.from(']')])
}
