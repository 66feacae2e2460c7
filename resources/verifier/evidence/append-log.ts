import { type FileHandle, open } from 'node:fs/promises'

/**
 * An append-only JSONL file whose every record is on the disk before its `append` resolves. Appends that wait together share one sync. A
 * torn tail, from a kill in mid-write or a full disk, is cut off when the file is opened and before the next append.
 */
export class AppendLog<T> {
  private readonly file: FileHandle
  /** Bytes that are whole records; whatever lies beyond is torn. */
  private length: number
  private torn = false
  private waiting: { line: Buffer; done: () => void; failed: (reason: unknown) => void }[] = []
  private flushing: Promise<void> | null = null

  private constructor(file: FileHandle, length: number) {
    this.file = file
    this.length = length
  }

  /**
   * @param parse a record from its JSON, or null to leave it out (a line that is damaged or of another version is kept on disk).
   * @param openFile for tests, which stand a failing disk in.
   */
  static async open<T>(
    path: string,
    parse: (raw: unknown) => T | null,
    openFile: (path: string, flags: string) => Promise<FileHandle> = open,
  ): Promise<{ log: AppendLog<T>; records: T[]; damaged: number }> {
    const file = await openFile(path, 'a+')
    const bytes = await file.readFile()
    const whole = bytes.lastIndexOf(10) + 1
    if (whole < bytes.length) {
      await file.truncate(whole)
      await file.sync()
    }
    const records: T[] = []
    let damaged = 0
    for (let from = 0; from < whole; ) {
      const end = bytes.indexOf(10, from)
      const record = parseLine(bytes.toString('utf8', from, end), parse)
      if (record === null) damaged += 1
      else records.push(record)
      from = end + 1
    }
    return { log: new AppendLog<T>(file, whole), records, damaged }
  }

  append(record: T): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(record)}\n`)
    const written = new Promise<void>((done, failed) => {
      this.waiting.push({ line, done, failed })
    })
    this.flushing ??= this.flush()
    return written
  }

  async close(): Promise<void> {
    await this.flushing
    await this.file.close()
  }

  private async flush(): Promise<void> {
    // Not in the turn of `append`, which would overwrite what the end of this sets.
    await Promise.resolve()
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0)
      const bytes = Buffer.concat(batch.map(({ line }) => line))
      try {
        if (this.torn) await this.file.truncate(this.length)
        this.torn = true
        await this.writeAll(bytes)
        await this.file.datasync()
        this.torn = false
        this.length += bytes.length
        for (const { done } of batch) done()
      } catch (failure) {
        for (const { failed } of batch) failed(failure)
      }
    }
    // In the same turn as the last look at `waiting`: a record that comes after it must find nobody flushing and begin.
    this.flushing = null
  }

  private async writeAll(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      at += (await this.file.write(bytes, at)).bytesWritten
    }
  }
}

function parseLine<T>(text: string, parse: (raw: unknown) => T | null): T | null {
  try {
    return parse(JSON.parse(text))
  } catch {
    return null
  }
}
