import { type FileHandle, mkdir, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Disposable } from '#shared/base/disposable.ts'
import { formatPodLogLine, parsePodLogLine } from '#shared/kube/pod-log.ts'
import type { KubeClient } from '../client.ts'
import type { KnownLog, LogMark } from './container-log.ts'
import { LogFollower } from './follower.ts'
import type { LogLine } from './line.ts'

/** Beyond it the file is put aside as `<file>.1` and begun anew: a container that talks day and night must not fill the disk. */
const largestBytes = 128 * 1024 * 1024
/** Of an older file, what is read to know where to go on: the lines of the last second are in it at any rate that is read by a person. */
const recalledBytes = 1024 * 1024

export type RunLogOptions = {
  client: KubeClient
  namespace: string
  selector: string
  file: string
  now: () => Date
  onMark: (mark: LogMark) => void
}

/** The logs of a run's pods, written to one file of this machine as they come. A console that starts again goes on where the file stops. */
export class RunLog implements Disposable {
  private readonly options: RunLogOptions
  private handle: FileHandle
  private sizeBytes: number
  readonly follower: LogFollower

  private constructor(
    options: RunLogOptions,
    opened: { handle: FileHandle; sizeBytes: number; known: Map<string, KnownLog> },
  ) {
    this.options = options
    this.handle = opened.handle
    this.sizeBytes = opened.sizeBytes
    const { client, namespace, selector, now } = options
    this.follower = new LogFollower({
      ...{ client, namespace, selector, now, tail: null },
      known: opened.known,
      take: (lines) => this.take(lines),
      onMark: (mark) => this.note(mark),
    })
  }

  static async open(options: RunLogOptions): Promise<RunLog> {
    await mkdir(dirname(options.file), { recursive: true, mode: 0o700 })
    const handle = await open(options.file, 'a+', 0o600)
    try {
      const { size } = await handle.stat()
      return new RunLog(options, { handle, sizeBytes: size, known: await recall(handle, size) })
    } catch (failure) {
      await handle.close()
      throw failure
    }
  }

  async dispose(): Promise<void> {
    await this.follower.dispose()
    await this.handle.close()
  }

  private take(lines: LogLine[]): Promise<void> {
    return this.append(lines.map((line) => formatPodLogLine({ ...line, own: true })))
  }

  private note({ pod, container, kind, text }: LogMark): void {
    const mark = { pod, container, kind, text }
    const line = {
      pod,
      container,
      at: this.options.now().toISOString(),
      restart: 0,
      own: false,
      text: `${kind}: ${text}`,
    }
    void this.append([formatPodLogLine(line)]).finally(() => this.options.onMark(mark))
  }

  private async append(lines: string[]): Promise<void> {
    if (this.sizeBytes > largestBytes) await this.putAside()
    const bytes = Buffer.from(`${lines.join('\n')}\n`)
    await this.handle.appendFile(bytes)
    this.sizeBytes += bytes.length
  }

  private async putAside(): Promise<void> {
    const { file } = this.options
    await this.handle.close()
    await rename(file, `${file}.1`)
    this.handle = await open(file, 'a+')
    this.sizeBytes = 0
  }
}

/** The last lines of each log in the file, as the API gave them. */
async function recall(handle: FileHandle, sizeBytes: number): Promise<Map<string, KnownLog>> {
  const from = Math.max(0, sizeBytes - recalledBytes)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(sizeBytes - from), 0, sizeBytes - from, from)
  const known = new Map<string, KnownLog>()
  for (const text of buffer.subarray(0, bytesRead).toString('utf8').split('\n')) {
    const line = parsePodLogLine(text)
    if (line === null || !line.own) continue
    const key = `${line.pod}/${line.container}`
    const log = known.get(key)
    const raw = `${line.at} ${line.text}`
    if (log && log.restarts === line.restart) log.raws.push(raw)
    else known.set(key, { restarts: line.restart, raws: [raw] })
  }
  return known
}
