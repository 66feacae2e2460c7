/**
 * Makes a log fit to be shown in a terminal. A log is written by programs that nobody vouches for (a candidate's own output among them), so
 * of all control sequences only colour and weight (SGR) and "erase to the end of the line" pass. Dropped are: every string sequence (OSC,
 * DCS, APC, PM, SOS: titles, clipboard, links, images), cursor moves and screen switches (they could overwrite or hide lines above),
 * device queries (they make the terminal answer), and the 8-bit forms of all these. Invisible characters that reorder text are spelt out.
 */
export class SafeText {
  /** Sequences left out so far. */
  dropped = 0
  private state: State = 'text'
  private parameters = ''
  private length = 0

  /** Feeds the next piece, cut anywhere, even inside a sequence. @returns what of it may be written to a terminal. */
  push(piece: string): string {
    let shown = ''
    let from = 0
    for (let at = 0; at < piece.length; at++) {
      const code = piece.charCodeAt(at)
      if (this.state === 'text' && isPlain(code)) continue
      if (from < at) shown += piece.slice(from, at)
      from = at + 1
      shown += this.step(code)
    }
    return shown + piece.slice(from)
  }

  private step(code: number): string {
    switch (this.state) {
      case 'text':
        return this.open(code)
      case 'escape':
        return this.escape(code)
      case 'csi':
        return this.csi(code)
      case 'string':
        return this.string(code)
      case 'string_escape':
        // ESC ended the string; a backslash is the usual tail of that, anything else opens a sequence of its own.
        this.drop()
        if (code === char('\\')) return ''
        this.state = 'escape'
        return this.step(code)
    }
  }

  private open(code: number): string {
    this.parameters = ''
    this.length = 0
    if (code === ESC) this.state = 'escape'
    else if (code === CSI) this.state = 'csi'
    else if (stringOpeners8.has(code)) this.state = 'string'
    else return visible(code)
    return ''
  }

  private escape(code: number): string {
    if (code === char('[')) this.state = 'csi'
    else if (stringOpeners7.has(code)) this.state = 'string'
    else if (between(code, 0x20, 0x2f)) return this.grow()
    else return this.end(between(code, 0x30, 0x7e), code)
    return ''
  }

  private csi(code: number): string {
    if (between(code, 0x20, 0x3f)) {
      this.parameters += String.fromCharCode(code)
      return this.grow()
    }
    const final = String.fromCharCode(code)
    if (!isAllowed(this.parameters, final)) return this.end(between(code, 0x40, 0x7e), code)
    this.state = 'text'
    return `\u001b[${this.parameters}${final}`
  }

  private string(code: number): string {
    if (code === ESC) this.state = 'string_escape'
    else if (stringEnders.has(code)) this.drop()
    // A line break ends it too: a log is lines, and an unfinished string must not hide the ones after it.
    else if (code === char('\n')) return this.end(false, code)
    else return this.grow()
    return ''
  }

  private grow(): string {
    if (++this.length > longest) this.drop()
    return ''
  }

  private drop(): void {
    this.dropped++
    this.state = 'text'
  }

  /** Drops the sequence; `code` goes with it where it `belongs` (a final byte), else it is read again as text. */
  private end(belongs: boolean, code: number): string {
    this.drop()
    if (belongs) return ''
    return isPlain(code) ? String.fromCharCode(code) : this.step(code)
  }
}

type State = 'text' | 'escape' | 'csi' | 'string' | 'string_escape'

/** An unfinished sequence longer than this is not one: it is dropped and reading goes on, so that it cannot swallow the log. */
const longest = 4096

const ESC = 0x1b
const CSI = 0x9b
const char = (text: string) => text.charCodeAt(0)
const between = (code: number, low: number, high: number) => code >= low && code <= high
const stringOpeners7 = new Set([...']PX^_'].map(char))
const stringOpeners8 = new Set([0x90, 0x98, 0x9d, 0x9e, 0x9f])
/** BEL, CAN, SUB and the 8-bit string terminator. */
const stringEnders = new Set([0x07, 0x18, 0x1a, 0x9c])

/** Characters that change the order in which others are shown, or are not shown at all. */
const isReordering = (code: number) =>
  code === 0x61c ||
  between(code, 0x200b, 0x200f) ||
  between(code, 0x202a, 0x202e) ||
  between(code, 0x2060, 0x2069) ||
  code === 0xfeff

const isControl = (code: number) => code < 0x20 || between(code, 0x7f, 0x9f)
const isPlain = (code: number) => !isControl(code) && !isReordering(code)

function visible(code: number): string {
  if (code === char('\n')) return '\r\n'
  if (code === char('\t') || code === char('\r')) return String.fromCharCode(code)
  if (isControl(code)) return ''
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
}

/** SGR without private marks or intermediates, and EL 0. */
const isAllowed = (parameters: string, final: string): boolean =>
  final === 'm' ? /^[0-9;:]*$/.test(parameters) : final === 'K' && /^0?$/.test(parameters)
