import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { keyPair, publicOf } from '../../../testing/sshd/keys.ts'
import { type SshdOptions, startSshd, type TestServer } from '../../../testing/sshd/sshd.ts'
import { tempFolder } from '../../../testing/temp-folder.ts'
import { Boxes, type BoxesOptions } from './boxes.ts'

export type TestNet = {
  folder: string
  /** The user's key, which every server of the test lets in. */
  key: string
  /** Path of the SSH configuration; `configure` writes it. */
  config: string
  env: NodeJS.ProcessEnv
  configure(lines: string[]): void
  /** Another server; `name` is its folder's. */
  server(name: string, options?: Partial<SshdOptions>): Promise<TestServer>
  /** Lines of a `Host` block that lead to a server, with keys and known hosts of the test's own alone. */
  host(alias: string, server: TestServer, extra?: string[]): string[]
  known(...lines: string[]): void
  boxes(patience?: BoxesOptions['patience']): Promise<Boxes>
}

/** Real servers on loopback and a configuration that leads to them and to nothing of this machine's user; all gone when the test ends. */
export async function testNet(): Promise<TestNet> {
  const folder = await tempFolder()
  const key = keyPair(folder, 'user')
  const config = join(folder, 'ssh_config')
  const knownFile = join(folder, 'known_hosts')
  const env = { ...process.env, RINGSIDE_SSH_CONFIG: config, SSH_AUTH_SOCK: '' }
  writeFileSync(knownFile, '')
  return {
    folder,
    key,
    config,
    env,
    configure: (lines) => writeFileSync(config, `${lines.join('\n')}\n`, { mode: 0o600 }),
    server: async (name, options = {}) => {
      const own = join(folder, name)
      mkdirSync(own, { recursive: true })
      const server = await startSshd({ folder: own, authorized: [publicOf(key)], ...options })
      onTestFinished(() => server.stop())
      return server
    },
    host: (alias, server, extra = []) => [
      `Host ${alias}`,
      ...extra.map((line) => `  ${line}`),
      '  HostName 127.0.0.1',
      `  Port ${server.port}`,
      `  User ${server.user}`,
      `  IdentityFile ${key}`,
      '  IdentitiesOnly yes',
      `  UserKnownHostsFile ${knownFile}`,
      '  GlobalKnownHostsFile /dev/null',
    ],
    known: (...lines) => writeFileSync(knownFile, `${lines.join('\n')}\n`),
    boxes: async (patience) => {
      const boxes = await Boxes.open({
        file: join(folder, 'boxes.json'),
        hostKeys: join(folder, 'own_known_hosts'),
        env,
        now: () => new Date(),
        ...(patience && { patience }),
      })
      onTestFinished(() => boxes.dispose())
      return boxes
    },
  }
}

/** Whether a server of the test can be had here. */
export { hasSshd } from '../../../testing/sshd/sshd.ts'
