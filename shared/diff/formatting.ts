import { type Token, tokens } from './tokens.ts'

/** A token that counts, with the text by which it is compared; `from` and `to` are its place in the source. */
export type Significant = { from: number; to: number; key: string }

export type Formatting = 'python' | 'other'

const closing: Record<string, string> = { '(': ')', '[': ']', '{': '}' }

type Bracket = { close: string; commas: number; isCall: boolean }

/**
 * The tokens of a source text that its layout does not change: white space, line breaks and commas before a closing bracket are left out. In
 * Python, indentation is code and stays, but not within brackets, where a line may break anywhere; and either quote may hold a plain string.
 * A comma that makes a tuple of one stays. @param base where `source` begins in the text whose places are wanted.
 * @param depthAt of brackets at the start of a line, for a piece that begins inside some; `depthOfLines` gives it.
 */
export function significantTokens(
  source: string,
  formatting: Formatting,
  base = 0,
  depthAt: (offset: number) => number = () => 0,
): Significant[] {
  const list = tokens(source)
  const open: Bracket[] = []
  const found: Significant[] = []
  for (const [index, token] of list.entries()) {
    if (token.blank) {
      const lead = formatting === 'python' ? indentation(list, index, base, depthAt) : null
      if (lead !== null) found.push(lead)
      continue
    }
    track(open, token, list[index - 1])
    if (token.text === ',' && isSpareComma(list, index, open.at(-1))) continue
    if (token.text === '\\' && list[index + 1]?.text === '\n') continue
    found.push({
      from: token.from + base,
      to: token.to + base,
      key: formatting === 'python' ? plainQuotes(token.text) : token.text,
    })
  }
  return found
}

/** What stands before the first code of a line, the start of the text included; null where that is no code. */
function indentation(
  list: Token[],
  index: number,
  base: number,
  depthAt: (offset: number) => number,
): Significant | null {
  const token = list[index]
  const next = list[index + 1]
  if (!token || next === undefined || next.text === '\n') return null
  const opensLine = index === 0 ? token.text !== '\n' : list[index - 1]?.text === '\n'
  if (token.text === '\n' || !opensLine) return null
  const start = token.from + base
  return depthAt(start) > 0 || continues(list, index)
    ? null
    : { from: start, to: token.to + base, key: `\n${token.text}` }
}

/** Whether the line before ends with a backslash. */
const continues = (list: Token[], index: number) => list[index - 2]?.text === '\\'

function track(open: Bracket[], { text }: Token, before: Token | undefined): void {
  const close = closing[text]
  if (close !== undefined)
    open.push({ close, commas: 0, isCall: before !== undefined && /[\p{L}\p{N}_)\]]$/u.test(before.text) })
  else if (open.at(-1)?.close === text) open.pop()
  else if (text === ',') {
    const last = open.at(-1)
    if (last) last.commas += 1
  }
}

/** A comma right before the bracket that closes, where it says nothing: `(a,)` alone is another thing than `(a)`. */
function isSpareComma(list: Token[], index: number, bracket: Bracket | undefined): boolean {
  if (!bracket) return false
  let next = index + 1
  while (list[next]?.blank) next += 1
  if (list[next]?.text !== bracket.close) return false
  return bracket.close !== ')' || bracket.isCall || bracket.commas > 1
}

/** `'a'` and `"a"` are one string; one with a quote or an escape in it is left as it is. */
const plainQuotes = (text: string) => (/^'[^'"\\]*'$/.test(text) ? `"${text.slice(1, -1)}"` : text)

/**
 * How many brackets of a Python text are open at the start of each line; a line that begins inside a long string counts as within one, as its
 * white space is the string's. @returns a look-up by any offset in the line.
 */
export function depthOfLines(source: string): (offset: number) => number {
  const starts = [0]
  const depths = [0]
  let depth = 0
  const pattern =
    /\n|#[^\n]*|"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|[()[\]{}]/g
  for (const { 0: text, index } of source.matchAll(pattern)) {
    if (text === '\n') {
      starts.push(index + 1)
      depths.push(depth)
    } else if (text.length > 1) {
      for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
        starts.push(index + at + 1)
        // Not within a bracket: what stands at the start of such a line is text.
        depths.push(depth)
      }
    } else if (closing[text] !== undefined) depth += 1
    else if (/[)\]}]/.test(text)) depth = Math.max(0, depth - 1)
  }
  return (offset) => depths[lastAtOrBefore(starts, offset)] ?? 0
}

function lastAtOrBefore(starts: readonly number[], offset: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}
