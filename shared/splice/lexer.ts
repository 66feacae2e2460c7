import type { LexError, Token, TokenKind } from './token.ts'

/**
 * Rust's own lexical rules (The Rust Reference, "Lexical structure"), exactly: which bytes are comment, string or code decides what a body
 * is, and a parser that sees a closing brace where the compiler sees a string would let a body out of its function. Hence this second
 * opinion beside the syntax tree, and the one on which every rule about names rests: it sees inside macro calls too.
 */
export function lex(source: string, options: { rawCStrings?: boolean } = {}): Token[] | LexError {
  const lexer = new Lexer(source, options.rawCStrings ?? true)
  return lexer.run()
}

export const isLexError = (result: Token[] | LexError): result is LexError => !Array.isArray(result)

const identStart = /^[\p{XID_Start}_]$/u
const identPart = /^[\p{XID_Continue}]$/u
const space = /^[\t\n\v\f\r \u0085\u200e\u200f\u2028\u2029]$/u

class Lexer {
  private at = 0
  private error: LexError | null = null
  private readonly tokens: Token[] = []
  private readonly source: string
  private readonly rawCStrings: boolean

  /** @param rawCStrings whether `cr#"…"#` is one literal (editions from 2021 on) or `cr`, `#` and a string (before). */
  constructor(source: string, rawCStrings: boolean) {
    this.source = source
    this.rawCStrings = rawCStrings
  }

  run(): Token[] | LexError {
    while (this.at < this.source.length && !this.error) this.step()
    return this.error ?? this.tokens
  }

  private char(ahead = 0): string {
    const code = this.source.codePointAt(this.at + ahead)
    return code === undefined ? '' : String.fromCodePoint(code)
  }

  private fail(message: string, at = this.at) {
    this.error = { message, at }
  }

  private push(kind: TokenKind, start: number, text = this.source.slice(start, this.at)) {
    this.tokens.push({ kind, text, start, end: this.at })
  }

  private step() {
    const c = this.char()
    if (space.test(c)) this.at += c.length
    else if (this.source.startsWith('//', this.at)) this.lineComment()
    else if (this.source.startsWith('/*', this.at)) this.blockComment()
    else if (c === '"') this.string(this.at)
    else if (c === "'") this.quote()
    else if (/^[0-9]$/.test(c)) this.number()
    else if (identStart.test(c)) this.word()
    else if ('([{'.includes(c)) this.single('open')
    else if (')]}'.includes(c)) this.single('close')
    else if (/^[!#$%&*+,\-./:;<=>?@^|~]$/.test(c)) this.single('punct')
    else this.fail(`the character ${JSON.stringify(c)} cannot stand here`)
  }

  private single(kind: TokenKind) {
    this.at += 1
    this.push(kind, this.at - 1)
  }

  private lineComment() {
    const end = this.source.indexOf('\n', this.at)
    this.at = end < 0 ? this.source.length : end
  }

  private blockComment() {
    const start = this.at
    let depth = 0
    do {
      const open = this.source.indexOf('/*', this.at)
      const close = this.source.indexOf('*/', this.at)
      if (close < 0) return this.fail('a block comment is not closed', start)
      const opens = open >= 0 && open < close
      depth += opens ? 1 : -1
      this.at = (opens ? open : close) + 2
    } while (depth > 0)
  }

  /** From the opening quote at the current place to after its closing one. */
  private string(start: number) {
    this.at += 1
    while (this.at < this.source.length) {
      const c = this.source[this.at]
      this.at += c === '\\' ? 2 : 1
      if (c === '"') return this.push('string', start)
    }
    this.fail('a string is not closed', start)
  }

  /** From the first `#` or the quote after `r`, `br` or `cr`; false where it is no raw string after all. */
  private rawString(start: number): boolean {
    const hashes = /^#*/.exec(this.source.slice(this.at, this.at + 260))?.[0] ?? ''
    if (this.source[this.at + hashes.length] !== '"') return false
    const end = this.source.indexOf(`"${hashes}`, this.at + hashes.length + 1)
    if (end < 0) this.fail('a raw string is not closed', start)
    else {
      this.at = end + 1 + hashes.length
      this.push('string', start)
    }
    return true
  }

  private word() {
    const start = this.at
    this.identifierPart()
    const word = this.source.slice(start, this.at)
    const next = this.source[this.at]
    const raw = word === 'r' || word === 'br' || (word === 'cr' && this.rawCStrings)
    if (raw && (next === '"' || next === '#') && this.rawString(start)) return
    if (word === 'r' && next === '#' && identStart.test(this.char(1))) return this.rawIdentifier()
    if ((word === 'b' || word === 'c') && next === '"') return this.string(start)
    if (word === 'b' && next === "'") return this.charLiteral(start)
    this.push('ident', start, word.normalize('NFC'))
  }

  private rawIdentifier() {
    this.at += 1
    const start = this.at
    this.identifierPart()
    this.push('ident', start, this.source.slice(start, this.at).normalize('NFC'))
  }

  /** A lifetime or a character, told apart as rustc's lexer does: by whether the second character closes the quote. */
  private quote() {
    const start = this.at
    const first = this.char(1)
    const second = this.source[this.at + 1 + first.length]
    const lifetime = second !== "'" && (identStart.test(first) || /^[0-9]$/.test(first))
    if (!lifetime) return this.charLiteral(start)
    this.at += 1
    this.identifierPart()
    if (this.source[this.at] === "'") return this.fail('a character literal holds more than one character')
    this.push('lifetime', start)
  }

  private charLiteral(start: number) {
    this.at += 1
    if (this.char() === '\\') this.at += 1
    this.at += this.char().length
    for (let length = 0; length < 12; length += 1) {
      const c = this.source[this.at]
      if (c === "'") {
        this.at += 1
        return this.push('char', start)
      }
      if (c === undefined || c === '\n') break
      this.at += 1
    }
    this.fail('a character literal is not closed', start)
  }

  private number() {
    const start = this.at
    this.identifierPart()
    const fraction = this.source[this.at] === '.' && this.source[this.at + 1] !== '.'
    if (fraction && !identStart.test(this.char(1))) {
      this.at += 1
      this.identifierPart()
    }
    if (/[eE]$/.test(this.source.slice(start, this.at)) && /^[+-]/.test(this.char())) {
      const hex = this.source.startsWith('0x', start)
      if (!hex) {
        this.at += 1
        this.identifierPart()
      }
    }
    this.push('number', start)
  }

  private identifierPart() {
    while (this.at < this.source.length && identPart.test(this.char())) this.at += this.char().length
  }
}
