/**
 * A JSON text in one spelling, so that two texts are the same value exactly if their spellings are equal: object keys sorted, no white
 * space, strings decoded. Numbers keep their kind and every digit: `2`, `2.0` and `-0` differ, `1e1` and `10.0` do not, and integers of
 * any length are exact. Works without recursion, at any nesting.
 * @returns null for what is no JSON: NaN, Infinity, repeated keys, trailing text.
 */
export function canonicalText(text: string): string | null {
  const frames: Frame[] = []
  let at = skipSpace(text, 0)
  for (;;) {
    const token = text[at]
    let done: string | null
    if (token === '[' || token === '{') {
      const inner = skipSpace(text, at + 1)
      const close = token === '[' ? ']' : '}'
      if (text[inner] !== close) {
        const frame: Frame = { close, items: [], keys: [] }
        frames.push(frame)
        const next = token === '{' ? readKey(text, inner, frame) : inner
        if (next === null) return null
        at = next
        continue
      }
      done = token + close
      at = inner + 1
    } else {
      const scalar = readScalar(text, at)
      if (scalar === null) return null
      done = scalar.text
      at = scalar.end
    }
    for (;;) {
      at = skipSpace(text, at)
      const frame = frames.at(-1)
      if (frame === undefined) return at === text.length ? done : null
      frame.items.push(done)
      if (text[at] === ',') {
        at = skipSpace(text, at + 1)
        const next = frame.close === '}' ? readKey(text, at, frame) : at
        if (next === null) return null
        at = next
        break
      }
      if (text[at] !== frame.close) return null
      frames.pop()
      done = closed(frame)
      if (done === null) return null
      at += 1
    }
  }
}

/** Whether two raw JSON texts are one value. What is no JSON equals nothing, not even itself. */
export function sameJson(expected: string, observed: string): boolean {
  const canonical = canonicalText(expected)
  return canonical !== null && canonical === canonicalText(observed)
}

type Frame = { close: ']' | '}'; items: string[]; keys: string[] }

function closed(frame: Frame): string | null {
  if (frame.close === ']') return `[${frame.items.join(',')}]`
  const members = frame.keys.map((key, index) => [key, frame.items[index] ?? ''] as const)
  members.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  if (members.some(([key], index) => index > 0 && members[index - 1]?.[0] === key)) return null
  return `{${members.map(([key, item]) => `${key}:${item}`).join(',')}}`
}

function skipSpace(text: string, at: number): number {
  let end = at
  while (text[end] === ' ' || text[end] === '\n' || text[end] === '\r' || text[end] === '\t') end += 1
  return end
}

/** Reads `"key" :` into the frame. @returns where its value starts. */
function readKey(text: string, at: number, frame: Frame): number | null {
  const key = text[at] === '"' ? readScalar(text, at) : null
  if (key === null) return null
  const colon = skipSpace(text, key.end)
  if (text[colon] !== ':') return null
  frame.keys.push(key.text)
  return skipSpace(text, colon + 1)
}

// Sticky, so that each matches exactly where the reader stands. Which characters and escapes a string may hold is left to JSON.parse.
const stringToken = /"[^"\\]*(?:\\.[^"\\]*)*"/sy
const numberToken = /(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?/y
const wordToken = /true|false|null/y

function readScalar(text: string, at: number): { text: string; end: number } | null {
  for (const token of [stringToken, numberToken, wordToken]) {
    token.lastIndex = at
    const match = token.exec(text)
    if (match === null) continue
    const spelling =
      token === stringToken
        ? canonicalString(match[0])
        : token === numberToken
          ? canonicalNumber(match)
          : match[0]
    return spelling === null ? null : { text: spelling, end: token.lastIndex }
  }
  return null
}

function canonicalString(token: string): string | null {
  try {
    return JSON.stringify(JSON.parse(token))
  } catch {
    return null
  }
}

/** Integers digit for digit; numbers with a point or an exponent as sign, significant digits and a decimal exponent, marked as such. */
function canonicalNumber(match: RegExpExecArray): string {
  const [whole, sign = '', integer = '', fraction, exponent] = match
  if (fraction === undefined && exponent === undefined) return whole
  const digits = `${integer}${fraction ?? ''}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return `${sign}0f`
  const power =
    BigInt(exponent ?? 0) - BigInt(fraction?.length ?? 0) + BigInt(digits.length - significant.length)
  return `${sign}${significant}f${power}`
}
