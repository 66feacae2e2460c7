import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Disposable } from '#shared/base/disposable.ts'
import { startProgram } from '../ssh-process.ts'

/** What `ssh` is started with for one box: a folder of its own, readable by this user alone. */
export type SystemRoom = {
  folder: string
  configFile: string
  env: NodeJS.ProcessEnv
}

/** A connection of the system's `ssh` that others share. */
export type Master = Disposable & {
  socket: string
  /** Resolves when it ended. */
  ended: Promise<void>
  isAlive(): boolean
  kill(): void
}

/** Logins may wait for a touch on a hardware key. */
const loginMs = 60_000

/**
 * Its standard input is the leash: `ssh` ends with whoever holds it, this console killed outright included, and takes the folder along. The first line
 * that it prints is the number of the `ssh` itself.
 */
const leashed = [
  'folder=$1; shift; exec 3<&0; ssh "$@" < /dev/null 3<&- & ssh=$!; echo $ssh',
  '( cat <&3; kill $ssh ) > /dev/null 2>&1 & leash=$!',
  'exec 3<&-; wait $ssh; kill $leash 2> /dev/null; rm -rf "$folder"',
].join('; ')

/** @param target `[-l user, -p port, host]`. @returns null where it ended before it was logged in: `said` tells why. */
export async function startMaster(
  room: SystemRoom,
  target: readonly string[],
): Promise<{ master: Master | null; said: string }> {
  const socket = join(room.folder, 'c')
  const own = ['-F', room.configFile, '-M', '-S', socket, '-o', 'ControlPersist=no', '-N', ...target]
  const child = startProgram('sh', ['-c', leashed, 'ringside', room.folder, ...own], { env: room.env })
  const { said, pid, ended, isAlive } = listenTo(child)
  const master: Master = {
    socket,
    ended,
    isAlive,
    kill: () => {
      const number = pid()
      if (isAlive() && number !== null) process.kill(number, 'SIGKILL')
    },
    dispose: async () => {
      child.stdin.end()
      await ended
    },
  }
  // The socket is made right after the login.
  for (const until = Date.now() + loginMs; isAlive() && !existsSync(socket); ) {
    if (Date.now() > until) await master.dispose()
    else await Promise.race([sleep(20), ended])
  }
  return { master: isAlive() ? master : null, said: said() }
}

function listenTo(child: ChildProcessWithoutNullStreams) {
  let text = ''
  let number = ''
  let alive = true
  child.stdin.on('error', () => undefined)
  child.stdout.on('data', (bytes: Buffer) => {
    number += bytes
  })
  child.stderr.on('data', (bytes: Buffer) => {
    text = (text + bytes).slice(-8_192)
  })
  const ended = new Promise<void>((resolve) => {
    const over = () => {
      alive = false
      // A leash that outlived it is let go.
      child.stdin.destroy()
      resolve()
    }
    child.once('error', (failure) => {
      text += failure.message
      over()
    })
    child.once('exit', () => {
      alive = false
      child.stdin.destroy()
    })
    child.once('close', over)
  })
  return {
    said: () => text,
    pid: () => (/^\d+$/.test(number.trim()) ? Number(number) : null),
    ended,
    isAlive: () => alive,
  }
}
