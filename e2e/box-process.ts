import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export const hasBox = existsSync('/usr/sbin/sshd')

export type BoxProcess = {
  /** SSH configuration in which the box is called `gpu-1`; its key is on nobody's record. */
  config: string
  /** Home of who logs in. */
  home: string
  /** Connections that were let in so far. */
  logins(): number
  /** Ends every connection at once, as a link that breaks. */
  cut(): void
  end(): Promise<void>
}

/** A real OpenSSH server on loopback, with `folder` for all that is its own. */
export async function startBox(folder: string): Promise<BoxProcess> {
  const child = spawn(process.execPath, ['electron/testing/sshd/serve.ts', folder], {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    exited.then(() => Promise.reject(new Error('the box did not start'))),
  ])) as [string]
  const { config } = JSON.parse(line) as { config: string }
  return {
    config,
    home: join(folder, 'box/home'),
    logins: () => readFileSync(join(folder, 'box/sshd.log'), 'utf8').split('Accepted publickey').length - 1,
    cut: () => child.stdin.write('cut\n'),
    end: async () => {
      child.stdin.end()
      await exited
    },
  }
}
