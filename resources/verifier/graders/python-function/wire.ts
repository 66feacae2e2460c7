/** Messages to and from the supervisor in the sandbox: a 4-byte big-endian length, then fields, each a 4-byte length and its bytes. */
export function pack(fields: (Buffer | string)[]): Buffer {
  const parts = fields.flatMap((field) => {
    const bytes = typeof field === 'string' ? Buffer.from(field) : field
    return [sizeOf(bytes.length), bytes]
  })
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat([sizeOf(length), ...parts])
}

function sizeOf(length: number): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(length)
  return size
}

/** Cuts a byte stream into messages, whatever the chunks. */
export class MessageCutter {
  private held: Buffer = Buffer.alloc(0)

  push(chunk: Buffer): Buffer[][] {
    this.held = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk])
    const messages: Buffer[][] = []
    let at = 0
    while (this.held.length - at >= 4) {
      const end = at + 4 + this.held.readUInt32BE(at)
      if (end > this.held.length) break
      messages.push(fieldsOf(this.held.subarray(at + 4, end)))
      at = end
    }
    this.held = this.held.subarray(at)
    return messages
  }
}

function fieldsOf(message: Buffer): Buffer[] {
  const fields: Buffer[] = []
  for (let at = 0; at < message.length; ) {
    const end = at + 4 + message.readUInt32BE(at)
    fields.push(message.subarray(at + 4, end))
    at = end
  }
  return fields
}
