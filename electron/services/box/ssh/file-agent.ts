import { AppError } from '#shared/base/errors.ts'
import { boxFacts } from './facts.ts'
import { channelFailure } from './failures.ts'
import type { SshLink } from './link.ts'
import { shCommand } from './remote.ts'
import type { BoxChannel } from './transport.ts'

export type AgentAnswer = { error?: string; size?: number; identity?: string; ms?: number; bytes: Buffer }

/**
 * Runs on the box for as long as its channel is open: a line of JSON in, a line of JSON with so many bytes behind it out. It starts no process a
 * question, which is what a command a question costs: some milliseconds on an idle box, a tenth of a second on one that trains.
 */
const program = [
  'const fs = require("node:fs")',
  'const say = (head, body) => { process.stdout.write(JSON.stringify({ ...head, bytes: body ? body.length : 0 }) + "\\n"); if (body) process.stdout.write(body) }',
  'const fail = (id, cause) => say({ id, error: cause.code || String(cause) })',
  'const stat = (id, path) => fs.stat(path, { bigint: true }, (cause, it) => cause ? fail(id, cause) : say({ id, size: Number(it.size), identity: it.dev + ":" + it.ino, ms: Number(it.mtimeMs) }))',
  'const read = (id, path, offset, length) => fs.open(path, "r", (cause, file) => { if (cause) return fail(id, cause); const into = Buffer.alloc(length); fs.read(file, into, 0, length, offset, (bad, count) => { fs.close(file, () => {}); if (bad) fail(id, bad); else say({ id }, into.subarray(0, count)) }) })',
  'let rest = ""',
  'process.stdin.on("data", (text) => { const lines = (rest + text).split("\\n"); rest = lines.pop(); for (const line of lines) { const q = JSON.parse(line); if (q.length === undefined) stat(q.id, q.path); else read(q.id, q.path, q.offset, q.length) } })',
  'process.stdin.on("end", () => process.exit(0))',
].join('; ')

/** An answer that takes longer means that the link or the box's disk hangs. */
const answerMs = 30_000

type Waiting = {
  resolve: (answer: AgentAnswer) => void
  reject: (failure: AppError) => void
  timer: NodeJS.Timeout
}

/** One box's files, asked over one channel; null from `of` where the box has no Node to answer with. */
export class FileAgent {
  private static readonly agents = new WeakMap<SshLink, FileAgent>()
  private readonly link: SshLink
  private readonly waiting = new Map<number, Waiting>()
  private node: Promise<string | null> | null = null
  private opening: Promise<BoxChannel> | null = null
  private next = 0

  private constructor(link: SshLink) {
    this.link = link
  }

  static of(link: SshLink): FileAgent {
    const known = FileAgent.agents.get(link)
    if (known) return known
    const made = new FileAgent(link)
    FileAgent.agents.set(link, made)
    return made
  }

  /** @returns null where this box cannot answer this way. @throws {AppError} `unreachable`, `timed_out`. */
  async ask(question: { path: string; offset?: number; length?: number }): Promise<AgentAnswer | null> {
    this.node ??= boxFacts(this.link).then(({ node }) => node?.path ?? null)
    const node = await this.node.catch((failure: unknown) => {
      this.node = null
      throw failure
    })
    if (node === null) return null
    this.opening ??= this.open(node)
    const channel = await this.opening.catch((failure: unknown) => {
      this.opening = null
      throw failure
    })
    return new Promise((resolve, reject) => {
      this.next += 1
      const id = this.next
      const timer = setTimeout(() => {
        reject(new AppError('timed_out', `${this.link.name} did not answer about ${question.path}.`))
        this.waiting.delete(id)
        channel.close()
      }, answerMs)
      this.waiting.set(id, { resolve, reject, timer })
      channel.write(`${JSON.stringify({ ...question, id })}\n`)
    })
  }

  private async open(node: string): Promise<BoxChannel> {
    const channel = await this.link.channel(shCommand('exec "$1" -e "$2"', [node, program]))
    const frames = new Frames((id, answer) => {
      const waiting = this.waiting.get(id)
      this.waiting.delete(id)
      clearTimeout(waiting?.timer)
      waiting?.resolve(answer)
    })
    channel.on('data', (bytes: Buffer) => {
      this.link.noteHeard()
      frames.push(bytes)
    })
    channel.stderr.resume()
    channel.on('error', () => undefined)
    channel.on('close', () => {
      this.opening = null
      const lost = channelFailure(new Error('the link broke while a file was asked for'), this.link.name)
      for (const { reject, timer } of this.waiting.values()) {
        clearTimeout(timer)
        reject(lost)
      }
      this.waiting.clear()
    })
    return channel
  }
}

/** Cuts a stream into heads and the bytes behind them. */
class Frames {
  private readonly onAnswer: (id: number, answer: AgentAnswer) => void
  private parts: Buffer[] = []
  private size = 0
  private head: { id: number; bytes: number } | null = null

  constructor(onAnswer: (id: number, answer: AgentAnswer) => void) {
    this.onAnswer = onAnswer
  }

  push(chunk: Buffer): void {
    this.parts.push(chunk)
    this.size += chunk.length
    // Put together only when a whole frame may be there: a large answer comes in many pieces.
    while (this.size >= (this.head?.bytes ?? 1) && this.take());
  }

  private take(): boolean {
    const all = Buffer.concat(this.parts)
    if (this.head) {
      const { id, bytes, ...head } = this.head
      this.keep(all.subarray(bytes))
      this.head = null
      this.onAnswer(id, { ...head, bytes: all.subarray(0, bytes) })
      return this.size > 0
    }
    const end = all.indexOf(10)
    this.keep(end === -1 ? all : all.subarray(end + 1))
    if (end === -1) return false
    this.head = JSON.parse(all.toString('utf8', 0, end)) as { id: number; bytes: number }
    return true
  }

  private keep(rest: Buffer): void {
    this.parts = rest.length === 0 ? [] : [rest]
    this.size = rest.length
  }
}
