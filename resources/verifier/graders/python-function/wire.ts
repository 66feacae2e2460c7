/** Messages to and from the supervisor in the sandbox: a 4-byte big-endian length and that many bytes. See `harness/wire.py`. */
export function pack(...parts: (Buffer | string)[]): Buffer {
  const bytes = parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))
  return Buffer.concat([sizeOf(bytes.reduce((sum, part) => sum + part.length, 0)), ...bytes])
}

function sizeOf(length: number): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(length)
  return size
}

/** A message's line of words, and what comes after it. */
export type Message = { words: string[]; body: Buffer }

/** Cuts a byte stream into messages, whatever the chunks. */
export class MessageCutter {
  private held: Buffer = Buffer.alloc(0)

  push(chunk: Buffer): Message[] {
    this.held = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk])
    const messages: Message[] = []
    let at = 0
    while (this.held.length - at >= 4) {
      const end = at + 4 + this.held.readUInt32BE(at)
      if (end > this.held.length) break
      messages.push(read(this.held.subarray(at + 4, end)))
      at = end
    }
    this.held = this.held.subarray(at)
    return messages
  }
}

function read(message: Buffer): Message {
  const line = message.indexOf('\n')
  return { words: message.toString('latin1', 0, line).split(' '), body: message.subarray(line + 1) }
}
