import { spawn } from 'node:child_process'
import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../testing/temp-folder.ts'
import { identifyProcess } from '../box/process-identity.ts'
import { LeaseLedger } from './ledger.ts'
import { recoverLeases } from './recover.ts'
import { releaseLease } from './release.ts'
import { sweepLocal } from './sweep.ts'

const now = () => new Date('2026-11-29T12:00:00Z')
const run = 'r-20261129-aaaaaa'

test('a lease is on disk before its thing is there; a torn or damaged line costs only itself', async () => {
  const path = join(await tempFolder(), 'leases.jsonl')
  const ledger = await LeaseLedger.open(path, now)
  const folder = await ledger.intend({ id: 'a', run, kind: 'folder', label: 'box', identity: { path: '/x' } })
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(folder)
  await ledger.hold('a')
  await ledger.intend({ id: 'b', run: null, kind: 'port', label: 'port' })
  await ledger.leave('b', 'still answers')
  await ledger.close()
  await appendFile(path, 'damaged\n{"id":"torn')

  const again = await LeaseLedger.open(path, now)
  await again.release('a', 'no folder /x')
  await again.close()
  const last = await LeaseLedger.open(path, now)
  expect([last.all(), last.open(run), last.corruptLines]).toEqual([
    [
      { ...folder, state: 'released', note: 'no folder /x' },
      {
        id: 'b',
        run: null,
        kind: 'port',
        label: 'port',
        identity: {},
        state: 'left',
        at: now().toISOString(),
        note: 'still answers',
      },
    ],
    [],
    [5, 6],
  ])
  await last.close()
})

/** A process with the folder among its arguments, deaf to TERM where asked. */
async function sleeper(folder: string) {
  const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)', folder])
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return child
}

test('each kind is given back by exact identity and looked for afterwards; twice is harmless', async () => {
  const home = await tempFolder()
  const folder = join(home, 'boxes', 'one')
  await mkdir(folder, { recursive: true })
  const child = await sleeper(folder)
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const ledger = await LeaseLedger.open(join(home, 'leases.jsonl'), now)
  // As after a crash between starting the process and writing its number down.
  const process_ = await ledger.intend({
    id: 'p',
    run,
    kind: 'process',
    label: 'p',
    identity: { argument: folder },
  })
  const other = await ledger.intend({
    id: 'o',
    run,
    kind: 'process',
    label: 'o',
    identity: { pid: process.pid, startedAt: 'ticks:1' },
  })
  const box = await ledger.intend({ id: 'f', run, kind: 'folder', label: 'f', identity: { path: folder } })
  const taken = await ledger.intend({ id: 't', run, kind: 'port', label: 't', identity: { port } })

  expect(await releaseLease(taken, home)).toEqual({
    gone: false,
    why: `something still answers on 127.0.0.1:${port}`,
  })
  await new Promise((resolve) => server.close(resolve))
  const outcomes = []
  for (const lease of [process_, other, box, taken, process_, box])
    outcomes.push(await releaseLease(lease, home))
  expect(outcomes).toEqual([
    { gone: true, proof: `it was never started; no process names ${folder}` },
    { gone: true, proof: `process ${process.pid} is gone` },
    { gone: true, proof: `no folder ${folder}` },
    { gone: true, proof: `nothing answers on 127.0.0.1:${port}` },
    { gone: true, proof: `it was never started; no process names ${folder}` },
    { gone: true, proof: `no folder ${folder}` },
  ])
  expect([child.signalCode, await identifyProcess(process.pid)]).toEqual(['SIGTERM', expect.anything()])
  const outside = { ...box, identity: { path: join(home, '..') } }
  await expect(releaseLease(outside, home)).rejects.toMatchObject({ code: 'internal' })
  await expect(releaseLease({ ...box, identity: {} }, home)).rejects.toMatchObject({ code: 'internal' })
  await ledger.close()
})

test('what a dead console held for itself, and strays, are found again; a run’s own things are not touched', async () => {
  const home = await tempFolder()
  const paths = { boxes: join(home, 'boxes'), scratch: join(home, 'scratch') }
  const mine = join(paths.boxes, run)
  const stray = join(paths.scratch, 'stray')
  const dead = join(paths.scratch, 'dead')
  for (const path of [mine, stray, dead]) await mkdir(path, { recursive: true })
  const child = await sleeper(stray)
  const ledger = await LeaseLedger.open(join(home, 'leases.jsonl'), now)
  const owner = { ownerPid: process.pid, ownerStartedAt: 'ticks:1' }
  await ledger.intend({ id: 'run', run, kind: 'folder', label: 'box', identity: { path: mine } })
  await ledger.intend({
    id: 'dead',
    run: null,
    kind: 'folder',
    label: 'dead',
    identity: { path: dead, ...owner },
  })
  await ledger.intend({ id: 'cut', run: 'r-20261129-bbbbbb', kind: 'process', label: 'cut', identity: {} })

  const { released, left } = await recoverLeases(ledger, home, [run])
  expect([released.map((lease) => lease.id), left]).toEqual([['dead', 'cut'], []])
  const swept = await sweepLocal({ home, ...paths, ledger, store: { runs: () => [run] } })
  expect([swept.released.map((row) => row.lease), swept.left]).toEqual([
    ['stray/stray/process', 'stray/stray/folder'],
    [],
  ])
  expect([child.signalCode, ledger.open(run).map((lease) => lease.id)]).toEqual(['SIGTERM', ['run']])
  await ledger.close()
})
