import { ForeignEvent, RunEvent } from './events.ts'

/** One journal line, as far as it can be understood. `raw` keeps unknown types and fields for display. */
export type DecodedLine =
  | { kind: 'event'; event: RunEvent; raw: unknown }
  | { kind: 'foreign'; event: ForeignEvent; raw: unknown }
  | { kind: 'corrupt'; reason: string; text: string }

const knownTypes = new Set<string>(RunEvent.options.map((option) => option.shape.type.value))

/** Decodes one line (without its newline). Never throws: what cannot be read is `corrupt`, with why. */
export function decodeLine(text: string): DecodedLine {
  let raw: unknown
  try {
    raw = JSON.parse(text)
  } catch {
    return { kind: 'corrupt', reason: 'is no JSON', text }
  }
  const envelope = ForeignEvent.safeParse(raw)
  if (!envelope.success) return { kind: 'corrupt', reason: firstIssue(envelope.error), text }
  if (!knownTypes.has(envelope.data.type)) return { kind: 'foreign', event: envelope.data, raw }
  const known = RunEvent.safeParse(raw)
  if (!known.success) return { kind: 'corrupt', reason: firstIssue(known.error), text }
  return { kind: 'event', event: known.data, raw }
}

function firstIssue(error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] }): string {
  const issue = error.issues[0]
  return issue ? `${issue.path.join('.') || 'line'}: ${issue.message}` : 'does not fit the schema'
}

/** A complete line and where it stands: byte offset of its first byte and of the byte after its newline. */
export type Line = { text: string; offset: number; end: number }

/**
 * Cuts a growing byte stream into lines at `\n`, whatever the chunks. Bytes after the last newline are a torn line: kept and waited for.
 * Decoding to text happens a whole line at a time, so that a chunk may end inside a UTF-8 sequence.
 */
export class LineCutter {
  private parts: Uint8Array[] = []
  private held = 0
  private offset: number
  private readonly decode: (bytes: Uint8Array) => string

  /** @param decode UTF-8 decoder, passed in as this folder has neither Node nor DOM. @param offset where the first chunk stands. */
  constructor(decode: (bytes: Uint8Array) => string, offset = 0) {
    this.decode = decode
    this.offset = offset
  }

  push(chunk: Uint8Array): Line[] {
    const lines: Line[] = []
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      const bytes = this.join(chunk.subarray(from, at))
      const end = this.offset + bytes.length + 1
      lines.push({ text: this.decode(bytes), offset: this.offset, end })
      this.offset = end
      from = at + 1
    }
    if (from < chunk.length) {
      const rest = chunk.slice(from)
      this.parts.push(rest)
      this.held += rest.length
    }
    return lines
  }

  /** Bytes of the torn last line, if any. */
  get tornBytes(): number {
    return this.held
  }

  private join(last: Uint8Array): Uint8Array {
    if (this.parts.length === 0) return last
    const whole = new Uint8Array(this.held + last.length)
    let at = 0
    for (const part of this.parts) {
      whole.set(part, at)
      at += part.length
    }
    whole.set(last, at)
    this.parts = []
    this.held = 0
    return whole
  }
}
