import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { GradeLine } from '#shared/domain/grade.ts'
import type { GradeItem } from '#shared/domain/verifier.ts'

export type StartedVerifier = {
  url: string
  /** The service's own, whatever it was wrapped in. */
  pid: number
  /** Grades items and gives the lines by id. */
  grade(run: string, items: GradeItem[]): Promise<Map<string, GradeLine>>
  json(path: string, init?: RequestInit): Promise<{ status: number; body: unknown }>
  /** Ends it as given and waits until it is gone. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Starts the real service as its own process, under the command `wrap` where given. Rejects with its stderr where it does not come up. */
export async function startVerifier(
  suite: string,
  data: string,
  options: { flags?: string[]; env?: NodeJS.ProcessEnv; wrap?: string[] } = {},
): Promise<StartedVerifier> {
  const main = join(import.meta.dirname, '..', 'main.ts')
  const [command = process.execPath, ...args] = [
    ...(options.wrap ?? []),
    process.execPath,
    ...[main, '--suite', suite, '--data', data, ...(options.flags ?? [])],
  ]
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
  })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'close').then(() => Promise.reject(new Error(log))),
  ])
  const { url, pid }: { url: string; pid: number } = JSON.parse(line).listening
  return {
    url,
    pid,
    grade: async (run, items) => {
      const reply = await fetch(`${url}/v1/grade`, {
        method: 'POST',
        body: JSON.stringify({ run, items }),
      })
      const text = await reply.text()
      if (!reply.ok) throw new Error(text)
      const lines = text.trimEnd().split('\n')
      return new Map(lines.map((one) => GradeLine.parse(JSON.parse(one))).map((grade) => [grade.id, grade]))
    },
    json: async (path, init) => {
      const reply = await fetch(`${url}${path}`, init)
      return { status: reply.status, body: await reply.json() }
    },
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      process.kill(pid, signal)
      await ended
    },
  }
}
