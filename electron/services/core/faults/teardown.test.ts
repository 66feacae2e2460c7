import { spawn } from 'node:child_process'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../testing/temp-folder.ts'
import { LocalBox } from '../../box/local-box.ts'
import { eventually } from '../../box/testing.ts'
import { discard } from '../../runs/teardown.ts'
import { rooms } from '../data-folder.ts'
import { programs } from '../programs.ts'
import { consoleProcess, eventsIn, openConsole, slow, smallRun, takeDown } from './testing.ts'

/** A run that ended while no console was there, its processes gone too, as after a reboot: all of its evidence is on the box alone. */
async function abandonedRun(home: string) {
  const box = new LocalBox({ root: rooms(home).boxes, supervisor: programs.supervisor, env: process.env })
  const { child, run } = await consoleProcess(home, { ...smallRun, updates: 1 })
  child.kill('SIGKILL')
  const journal = join(box.folder(run), 'events.jsonl')
  await eventually('the run’s end', async () => (await eventsIn(journal)).at(-1)?.type === 'run.finished')
  await box.stop(run, 2)
  expect(await box.processes(run)).toEqual([])
  const events = await eventsIn(journal)
  const evidence = events.flatMap((event) =>
    event.type === 'rollout.graded' || event.type === 'eval.draw' ? [event.grade.evidenceSha256 ?? ''] : [],
  )
  return { box, run, evidence: [...new Set(evidence)] }
}

test(
  'a teardown starts a verifier that is gone once more, and gives nothing back before its evidence is here',
  slow,
  async () => {
    const home = await tempFolder()
    const { box, run, evidence } = await abandonedRun(home)
    const core = await openConsole(home)
    const report = await takeDown(core, run)
    expect([report.left, report.released.map((row) => row.kind)]).toEqual([[], ['process', 'port', 'folder']])
    const here = await Promise.all(evidence.map((sha256) => core.parts.store.evidence.read(sha256)))
    expect(here.filter((one) => one === null)).toEqual([])
    expect([evidence.length > 0, await box.processes(run)]).toEqual([true, []])
    expect((await core.handlers['teardown.plan']({ run })).plan).toEqual([])
  },
)

test(
  'evidence that is nowhere keeps the folder and is said; it goes only when that is confirmed by name',
  slow,
  async () => {
    const home = await tempFolder()
    const { box, run, evidence } = await abandonedRun(home)
    const lost = evidence[0] ?? ''
    const stored = (await readdir(join(box.folder(run), 'verifier'), { recursive: true })).filter((name) =>
      name.includes(lost.slice(2)),
    )
    expect(stored.length).toBe(1)
    for (const name of stored) await rm(join(box.folder(run), 'verifier', name))

    const core = await openConsole(home)
    const first = await takeDown(core, run)
    expect(first.released.map((row) => row.kind)).toEqual(['process', 'port'])
    expect(first.left).toMatchObject([
      {
        kind: 'folder',
        action: 'keep',
        proof: expect.stringContaining(`1 piece(s) of evidence are not here yet, first ${lost.slice(0, 12)}`),
      },
    ])
    expect([await box.processes(run), (await stat(box.folder(run))).isDirectory()]).toEqual([[], true])
    expect((await core.handlers['runs.list']({})).map(({ leases, tornDown }) => [leases, tornDown])).toEqual([
      [1, false],
    ])

    const { plan } = await core.handlers['teardown.plan']({ run })
    const confirm = plan.flatMap((row) => [row.lease, discard(row.lease)])
    const second = await core.handlers['teardown.run']({ run, confirm })
    expect([second.left, await readdir(rooms(home).boxes)]).toEqual([[], []])
  },
)

test('a console killed in the middle of a teardown: the next one finishes it', slow, async () => {
  const home = await tempFolder()
  const { run } = await abandonedRun(home)
  const code = `
    import { createCore } from ${JSON.stringify(join(import.meta.dirname, '../core.ts'))}
    const core = await createCore({ home: ${JSON.stringify(home)}, shell: 'browser', version: 'test' })
    core.on('teardown.row', ({ state, label }) => {
      if (state === 'releasing' && label.startsWith('box folder')) process.kill(process.pid, 'SIGKILL')
    })
    const { plan } = await core.handlers['teardown.plan']({ run: ${JSON.stringify(run)} })
    await core.handlers['teardown.run']({ run: ${JSON.stringify(run)}, confirm: plan.map((row) => row.lease) })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: join(import.meta.dirname, '../../../..'),
    stdio: 'inherit',
  })
  await eventually('its end', () => child.signalCode !== null || child.exitCode !== null)
  expect(child.signalCode).toBe('SIGKILL')

  const core = await openConsole(home)
  const before = await core.handlers['teardown.plan']({ run })
  const report = await takeDown(core, run)
  expect([before.plan.map((row) => row.kind), report.released.map((row) => row.kind), report.left]).toEqual([
    ['folder'],
    ['folder'],
    [],
  ])
  expect(await readdir(rooms(home).boxes)).toEqual([])
  expect(core.parts.ledger.all().filter((lease) => lease.state !== 'released')).toEqual([])
})

test(
  'what its owner gave back after the plan was looked at stands in the report with its proof',
  slow,
  async () => {
    const home = await tempFolder()
    const { run } = await abandonedRun(home)
    const core = await openConsole(home)
    const { ledger } = core.parts
    const audit = await ledger.intend({
      id: `${run}/audit`,
      run,
      kind: 'port',
      label: 'audit verifier',
      identity: { port: 1 },
    })
    const { plan } = await core.handlers['teardown.plan']({ run })
    expect(plan.map((row) => row.lease)).toContain(audit.id)
    await ledger.release(audit.id, 'nothing answers on 127.0.0.1:1')

    const report = await core.handlers['teardown.run']({ run, confirm: plan.map((row) => row.lease) })
    expect([...report.released, ...report.left].map((row) => row.lease).sort()).toEqual(
      plan.map((row) => row.lease).sort(),
    )
    expect(report.released.find((row) => row.lease === audit.id)?.proof).toBe(
      'nothing answers on 127.0.0.1:1',
    )
  },
)
