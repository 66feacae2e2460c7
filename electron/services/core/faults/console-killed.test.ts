import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../testing/temp-folder.ts'
import { LocalBox } from '../../box/local-box.ts'
import { findByArgument } from '../../box/process-identity.ts'
import { eventually } from '../../box/testing.ts'
import { rooms } from '../data-folder.ts'
import { programs } from '../programs.ts'
import {
  consoleProcess,
  eventsIn,
  openConsole,
  slow,
  smallRun,
  takeDown,
  untilEvent,
  untilFinished,
} from './testing.ts'

test(
  'a console killed mid-run: the run goes on, and a new console shows every event once',
  slow,
  async () => {
    const home = await tempFolder()
    const { child, run } = await consoleProcess(home, { ...smallRun, updates: 4, paceMs: 400 })
    const box = new LocalBox({ root: rooms(home).boxes, supervisor: programs.supervisor, env: process.env })
    await untilEvent({ box }, run, 'step.finished', 1)
    child.kill('SIGKILL')
    await eventually('the console’s end', () => child.signalCode === 'SIGKILL')
    // Further updates happen while nobody watches.
    await untilEvent({ box }, run, 'step.finished', 3)

    const core = await openConsole(home)
    await untilFinished(core, run)
    await core.parts.audit.finish(run)
    const mirror = join(rooms(home).runs, run, 'journal.jsonl')
    const [here, there] = await Promise.all([
      readFile(mirror),
      readFile(join(box.folder(run), 'events.jsonl')),
    ])
    expect(here.equals(there)).toBe(true)
    const events = await eventsIn(mirror)
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index))
    const { state, summary } = await core.handlers['runs.state']({ run })
    expect([state.outcome, state.faults, state.rollouts, summary.nullRewards]).toEqual([
      'completed',
      [],
      4 * 1 * 4,
      0,
    ])

    const report = await takeDown(core, run)
    expect(report.left).toEqual([])
    expect(core.parts.ledger.all().filter((lease) => lease.state !== 'released')).toEqual([])
    expect(await box.processes(run)).toEqual([])
    const scratch = core.parts.ledger
      .all()
      .flatMap(({ identity }) => (typeof identity.argument === 'string' ? [identity.argument] : []))
    expect((await Promise.all(scratch.map(findByArgument))).flat()).toEqual([])
  },
)

test('a second console on the same data folder says who has it', slow, async () => {
  const home = await tempFolder()
  await openConsole(home)
  await expect(openConsole(home)).rejects.toMatchObject({
    code: 'already_open',
    message: expect.stringContaining(`process ${process.pid}`),
  })
})
