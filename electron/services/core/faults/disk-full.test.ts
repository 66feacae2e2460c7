import { execFile } from 'node:child_process'
import { mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../../testing/temp-folder.ts'
import { trainerLife } from '../../box/supervision.ts'
import { eventually } from '../../box/testing.ts'
import { rooms } from '../data-folder.ts'
import { eventsIn, openConsole, slow, smallRun, takeDown, untilEvent, untilFinished } from './testing.ts'

const run = promisify(execFile)

/** A file system small enough to fill, on a mount point of its own; null where this user or system cannot mount one. */
async function smallDisk(): Promise<string | null> {
  const point = join(await tempFolder(), 'disk')
  await mkdir(point)
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=256m', 'ringside-test', point]).catch(
    () => null,
  )
  if (!mounted) return null
  onTestFinished(async () => {
    await run('umount', ['-l', point])
  })
  return point
}

/** Takes all that is left. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w')
  try {
    for (const size of [1 << 20, 1 << 12, 1]) {
      const bytes = Buffer.alloc(size)
      while (
        await file.write(bytes).then(
          ({ bytesWritten }) => bytesWritten === size,
          () => false,
        )
      );
    }
  } finally {
    await file.close()
  }
}

test(
  'a disk that fills mid-run: the run waits for room, goes on by itself, and loses nothing',
  slow,
  async (context) => {
    const disk = await smallDisk()
    if (!disk) return context.skip('this user or system cannot mount a small file system')
    const home = join(disk, 'data')
    const core = await openConsole(home)
    const { run: id } = await core.handlers['launch.start']({ draft: { ...smallRun, paceMs: 300 } })
    await untilEvent(core.parts, id, 'step.finished', 1)
    await fill(join(disk, 'filler'))
    // What is left of the log's last block takes these words even now.
    const log = join(core.parts.box.folder(id), 'trainer.log')
    await eventually('the trainer to wait', async () =>
      (await readFile(log, 'utf8')).includes('No space left'),
    )
    expect(trainerLife(await core.parts.box.status(id))).not.toBe(false)
    expect((await core.handlers['runs.state']({ run: id })).state.phase).not.toBe('finished')
    await rm(join(disk, 'filler'))

    await untilFinished(core, id)
    const { state, summary } = await core.handlers['runs.state']({ run: id })
    expect([state.outcome, state.reason, state.faults, summary.nullRewards]).toEqual([
      'completed',
      null,
      [],
      0,
    ])
    const report = await takeDown(core, id)
    expect(report.left).toEqual([])
    const events = await eventsIn(join(rooms(home).runs, id, 'journal.jsonl'))
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index))
    expect(new Set(events.map((event) => event.type))).toContain('run.resumed')
  },
)
