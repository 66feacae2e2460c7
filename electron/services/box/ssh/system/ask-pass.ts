import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Disposable } from '#shared/base/disposable.ts'
import { nodeCommand } from '../../../core/programs.ts'
import { shellWord } from '../../shell-words.ts'
import type { Passphrases } from '../auth.ts'

/** Answers what the system's `ssh` asks a person for: from memory, over a socket, so that no passphrase is in a file, an argument or an environment. */
export type AskPass = Disposable & {
  env: Record<string, string>
  /** The key that something was asked for and not known; null while there was none. */
  wanted(): { keyFile: string; wrong: boolean } | null
}

const program = [
  'const net = require("node:net"), socket = net.connect(process.argv[1])',
  'socket.end(JSON.stringify({ prompt: process.argv[2] || "", kind: process.env.SSH_ASKPASS_PROMPT || "" }))',
  'let answer = ""; socket.on("data", (bytes) => { answer += bytes })',
  'socket.on("close", () => { if (answer === "") process.exit(1); console.log(JSON.parse(answer)) })',
  'socket.on("error", () => process.exit(1))',
].join('; ')

/** @param folder readable by this user alone. @param onTouch told where a hardware key waits for a finger. */
export async function startAskPass(
  folder: string,
  passphrases: Passphrases,
  onTouch: (prompt: string) => void,
): Promise<AskPass> {
  let wanted: { keyFile: string; wrong: boolean } | null = null
  const tried = new Set<string>()
  const answer = (question: string): string => {
    const { prompt, kind } = JSON.parse(question) as { prompt: string; kind: string }
    if (kind === 'none') {
      onTouch(prompt)
      return JSON.stringify('')
    }
    // A question for yes or no (an agent's, say) is nobody's to answer here.
    const keyFile = kind === '' ? keyIn(prompt) : null
    if (keyFile === null) return ''
    const known = tried.has(keyFile) ? undefined : passphrases.get(keyFile)
    if (known === undefined) {
      wanted ??= { keyFile, wrong: tried.has(keyFile) }
      return ''
    }
    tried.add(keyFile)
    return JSON.stringify(known)
  }
  const path = join(folder, 'a')
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    let question = ''
    socket.on('error', () => socket.destroy())
    socket.on('data', (bytes: Buffer) => {
      question += bytes
    })
    socket.on('end', () => socket.end(answer(question)))
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
  const { command, env } = nodeCommand()
  const exports = Object.entries(env).map(([name, value]) => `${name}=${shellWord(value)} `)
  const script = join(folder, 'ask')
  const line = `${exports.join('')}exec ${[command, '-e', program, path].map(shellWord).join(' ')} "$1"`
  await writeFile(script, `#!/bin/sh\n${line}\n`, { mode: 0o700 })
  return {
    env: { SSH_ASKPASS: script, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: ':0' },
    wanted: () => wanted,
    dispose: () => void server.close(),
  }
}

/** `Enter passphrase for key '/home/me/.ssh/id_x': `, and the PIN of a hardware key or token. */
const keyIn = (prompt: string): string | null =>
  /(?:passphrase for|PIN for)\s+(?:\S+ )?(?:key )?'?([^':]+)'?:/i.exec(prompt)?.[1]?.trim() ?? null
