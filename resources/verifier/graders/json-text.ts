/**
 * A JSON text in one spelling, so that two texts are the same value exactly if their spellings are equal: object keys sorted, no white
 * space, strings decoded. Numbers keep their kind and every digit: `2`, `2.0` and `-0` differ, `1e1` and `10.0` do not, and integers of
 * any length are exact. Works without recursion, at any nesting.
 * @returns null for what is no JSON: NaN, Infinity, repeated keys, trailing text.
 */
export function canonicalText(text: string): string | null {
  const frames: Frame[] = []
  // Where the value being read is spelled: for a member of an object apart, as members are sorted at the end.
  let out: string[] = []
  const whole = out
  let at = skipSpace(text, 0)
  for (;;) {
    const opened = openContainer(text, at, frames, out)
    if (opened === null) return null
    if (opened.enter) {
      out = opened.out
      at = opened.at
      continue
    }
    at = opened.at
    for (;;) {
      at = skipSpace(text, at)
      const frame = frames.at(-1)
      if (frame === undefined) return at === text.length ? whole.join('') : null
      const next = text[at]
      at = skipSpace(text, at + 1)
      if (next === ',') {
        if (frame.members === null) {
          out.push(',')
          break
        }
        const value = readKey(text, at, frame.members)
        if (value === null) return null
        out = value.out
        at = value.at
        break
      }
      if (next !== (frame.members === null ? ']' : '}')) return null
      frames.pop()
      if (!close(frame)) return null
      out = frame.out
    }
  }
}

/** Whether two raw JSON texts are one value. What is no JSON equals nothing, not even itself. */
export function sameJson(expected: string, observed: string): boolean {
  const canonical = canonicalText(expected)
  return canonical !== null && canonical === canonicalText(observed)
}

type Member = { key: string; value: string[] }
/** An open array (no members) or object, and where it is spelled itself. */
type Frame = { members: Member[] | null; out: string[] }
/** Where the next value starts and is to be spelled. */
type Place = { at: number; out: string[] }

/** Reads a scalar or an empty container whole, or enters a container up to its first value. */
function openContainer(
  text: string,
  at: number,
  frames: Frame[],
  out: string[],
): (Place & { enter: boolean }) | null {
  const token = text[at]
  if (token !== '[' && token !== '{') {
    const scalar = readScalar(text, at)
    if (scalar === null) return null
    out.push(scalar.text)
    return { at: scalar.end, out, enter: false }
  }
  const inner = skipSpace(text, at + 1)
  if (text[inner] === (token === '[' ? ']' : '}')) {
    out.push(token === '[' ? '[]' : '{}')
    return { at: inner + 1, out, enter: false }
  }
  if (token === '[') {
    out.push('[')
    frames.push({ members: null, out })
    return { at: inner, out, enter: true }
  }
  const members: Member[] = []
  frames.push({ members, out })
  const value = readKey(text, inner, members)
  return value && { ...value, enter: true }
}

/** Spells what closes a frame. @returns false where a key is there twice. */
function close({ members, out }: Frame): boolean {
  if (members === null) {
    out.push(']')
    return true
  }
  members.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  out.push(`{${members.map(({ key, value }) => `${key}:${value.join('')}`).join(',')}}`)
  return members.every(({ key }, index) => index === 0 || members[index - 1]?.key !== key)
}

function skipSpace(text: string, at: number): number {
  let end = at
  while (text[end] === ' ' || text[end] === '\n' || text[end] === '\r' || text[end] === '\t') end += 1
  return end
}

/** Reads `"key" :` and adds a member for it. */
function readKey(text: string, at: number, members: Member[]): Place | null {
  const key = text[at] === '"' ? readScalar(text, at) : null
  if (key === null) return null
  const colon = skipSpace(text, key.end)
  if (text[colon] !== ':') return null
  const value: string[] = []
  members.push({ key: key.text, value })
  return { at: skipSpace(text, colon + 1), out: value }
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
