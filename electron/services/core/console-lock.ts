import { open, readFile, rm, stat } from 'node:fs/promises'
import { z } from 'zod'
import type { Disposable } from '#shared/base/disposable.ts'
import { AppError } from '#shared/base/errors.ts'
import { writeAtomic } from '../box/atomic-write.ts'
import { identifyProcess, isAlive } from '../box/process-identity.ts'

const Holder = z.object({ pid: z.number(), startedAt: z.string(), shell: z.string(), since: z.string() })
type Holder = z.infer<typeof Holder>

/** Longer than any takeover takes (a few reads and a rename); a guard older than this was left by a crash in one. */
const guardLifeMs = 10_000

/**
 * One console a data folder. The lock names its holder's process by number and start time, so one left by a console that died is known to be
 * stale and taken over, also where its number lives on in another process.
 *
 * @throws {AppError} `already_open`, naming the other console.
 */
export async function lockConsole(path: string, shell: string, now: Date): Promise<Disposable> {
  const self = await identifyProcess(process.pid)
  if (!self) throw new AppError('internal', 'The console cannot read its own process start time.')
  const release = await takeGuard(`${path}.takeover`)
  try {
    const holder = await readHolder(path)
    if (holder && (await isAlive(holder))) {
      throw new AppError(
        'already_open',
        `Another console (${holder.shell}, process ${holder.pid}, since ${holder.since}) has this data folder open.`,
      )
    }
    await writeAtomic(path, `${JSON.stringify({ ...self, shell, since: now.toISOString() })}\n`)
  } finally {
    await release()
  }
  return { dispose: () => releaseLock(path, self.startedAt) }
}

/** Who has the data folder open now, by a living process; null where nobody has. */
export async function consoleHolder(path: string): Promise<Holder | null> {
  const holder = await readHolder(path)
  return holder && (await isAlive(holder)) ? holder : null
}

async function releaseLock(path: string, startedAt: string): Promise<void> {
  const holder = await readHolder(path)
  if (holder?.pid === process.pid && holder.startedAt === startedAt) await rm(path, { force: true })
}

async function readHolder(path: string): Promise<Holder | null> {
  const text = await readFile(path, 'utf8').catch(() => null)
  if (text === null) return null
  try {
    return Holder.parse(JSON.parse(text))
  } catch {
    // Written whole or not at all, so this is no lock of ours; a damaged one must not keep the folder shut for ever.
    return null
  }
}

/** Looking at a stale lock and replacing it must be one step, or two consoles could both take it over. */
async function takeGuard(path: string): Promise<() => Promise<void>> {
  for (;;) {
    try {
      await (await open(path, 'wx', 0o600)).close()
      return () => rm(path, { force: true })
    } catch (failure) {
      if ((failure as NodeJS.ErrnoException).code !== 'EEXIST') throw failure
    }
    const age = await stat(path).then(
      (found) => Date.now() - found.mtimeMs,
      () => 0,
    )
    if (age > guardLifeMs) await rm(path, { force: true })
    else await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
