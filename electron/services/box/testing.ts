import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programs } from '../core/programs.ts'
import { LocalBox } from './local-box.ts'
import { endProcess, waitUntil } from './process-identity.ts'

/** A stand-in for the verifier: answers on the port it is given and prints the line that the supervisor waits for. */
export const serveOn = `
  const server = require('node:http').createServer((_, reply) => reply.end('{}'))
  server.on('error', (failure) => { console.error(failure.message); process.exit(2) })
  server.listen(Number(process.argv.at(-1)), '127.0.0.1', () =>
    console.log(JSON.stringify({ listening: { url: 'http://127.0.0.1:' + server.address().port, pid: process.pid } })))`

const node = (script: string, ...args: string[]) => [process.execPath, '-e', script, ...args]

/** A box in a folder of its own, whose programs are small scripts; `end` leaves neither process nor folder. */
export async function testBox(options: { trainer: string; verifier?: string; idleSeconds?: number }) {
  const root = await mkdtemp(join(tmpdir(), 'ringside-box-'))
  const run = 'r-20261129-aaaaaa'
  const box = new LocalBox({
    root,
    supervisor: programs.supervisor,
    env: process.env,
    ...(options.idleSeconds !== undefined && { idleSeconds: options.idleSeconds }),
  })
  const folder = box.folder(run)
  await box.prepare(run, '{}\n', {
    env: {},
    verifier: node(options.verifier ?? serveOn, join(folder, 'verifier')),
    trainer: node(options.trainer, folder),
  })
  return {
    box,
    run,
    folder,
    read: (name: string) => readFile(join(folder, name), 'utf8').catch(() => ''),
    end: async () => {
      await box.stop(run, 1).catch(() => undefined)
      for (const one of await box.processes(run)) await endProcess(one, { group: false, graceMs: 500 })
      await rm(root, { recursive: true, force: true })
    },
  }
}

/** For what a busy machine may delay; nothing is asserted about how long it takes. */
const waitMs = 120_000

/** Waits for something that will come; says what it waited for when it does not. */
export async function eventually(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  if (!(await waitUntil(async () => holds(), waitMs))) throw new Error(`This did not come: ${what}`)
}
