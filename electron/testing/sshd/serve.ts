import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { keyPair, publicOf } from './keys.ts'
import { startSshd } from './sshd.ts'

/**
 * `node serve.ts FOLDER`: a box for a browser test, whose process cannot import this folder. Prints one JSON line, `{config}`: the path of an SSH
 * configuration in which the box is called `gpu-1`. Each line `cut` on its input ends all connections; the end of its input ends it.
 */
const folder = process.argv[2] ?? ''
mkdirSync(join(folder, 'box'), { recursive: true })
const key = keyPair(folder, 'user')
const bin = join(folder, 'bin')
mkdirSync(bin, { recursive: true })
copyFileSync(join(import.meta.dirname, '../gpu/nvidia-smi.sh'), join(bin, 'nvidia-smi'))
writeFileSync(join(bin, 'scene'), 'single')
const server = await startSshd({ folder: join(folder, 'box'), authorized: [publicOf(key)], path: bin })
const config = join(folder, 'ssh_config')
const lines = [
  'Host gpu-1',
  '  HostName 127.0.0.1',
  `  Port ${server.port}`,
  `  User ${server.user}`,
  `  IdentityFile ${key}`,
  '  IdentitiesOnly yes',
  `  UserKnownHostsFile ${join(folder, 'known_hosts')}`,
  '  GlobalKnownHostsFile /dev/null',
]
writeFileSync(config, `${lines.join('\n')}\n`, { mode: 0o600 })
process.stdout.write(`${JSON.stringify({ config })}\n`)
for await (const line of createInterface({ input: process.stdin })) if (line === 'cut') server.cutAll()
await server.stop()
