import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The real verifier service on a suite folder, as a process of its own. */
export class VerifierProcess {
  private readonly suite: string
  private readonly data = mkdtempSync(join(tmpdir(), 'ringside-verifier-'))
  private child: ChildProcess | null = null

  constructor(suite: string) {
    this.suite = suite
  }

  async start(port: number): Promise<string> {
    const main = join(import.meta.dirname, '../../verifier/main.ts')
    const args = [main, '--suite', this.suite, '--data', this.data, '--port', String(port)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
    this.child = child
    let text = ''
    for await (const chunk of child.stdout) {
      text += chunk
      if (text.includes('\n')) return JSON.parse(text.slice(0, text.indexOf('\n'))).listening.url
    }
    throw new Error('the verifier ended before it listened')
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const closed = new Promise((resolve) => child.once('close', resolve))
    child.stdout?.destroy()
    child.kill(signal)
    await closed
  }

  async dispose(): Promise<void> {
    await this.end('SIGTERM')
    rmSync(this.data, { recursive: true, force: true })
  }
}
