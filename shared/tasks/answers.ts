/**
 * One spelling for answers that mean the same, so that comparing them is comparing texts: what stands in the last `\boxed{}`, without
 * mathematical typesetting, and a number as an exact fraction (0.5, 1/2 and \frac{1}{2} are one). Text is compared without regard to case,
 * but for answers of up to three letters, where case may be all that tells them apart (Co, CO).
 */
export function normaliseAnswer(text: string): string {
  const inner = plain(lastBoxed(text.normalize('NFKC')) ?? text.normalize('NFKC'))
  const number = rational(inner)
  if (number !== null) return number
  return /^\p{L}{1,3}$/u.test(inner) ? inner : inner.toLowerCase()
}

/** What stands in the last `\boxed{…}`, braces inside it counted; null where there is none that ends. */
function lastBoxed(text: string): string | null {
  const at = text.lastIndexOf('\\boxed{')
  if (at === -1) return null
  let depth = 0
  for (let end = at + 6; end < text.length; end += 1) {
    if (text[end] === '{') depth += 1
    if (text[end] === '}') depth -= 1
    if (depth === 0) return text.slice(at + 7, end)
  }
  return null
}

function plain(text: string): string {
  return text
    .trim()
    .replace(/^(?:the\s+)?(?:final\s+)?answer\s*(?:is\b|:)\s*/i, '')
    .replaceAll(/\\(?:text|mathrm|mathbf|textbf|mbox|operatorname)\s*\{([^{}]*)\}/g, '$1')
    .replaceAll(/\\(?:left|right|displaystyle|,|!|;|:|quad|qquad)/g, '')
    .replaceAll(/\\([dt])frac/g, '\\frac')
    .replaceAll(/\\[()[\]]|\$/g, '')
    .replaceAll(/\\%/g, '%')
    .replaceAll(/(?<=\d),(?=\d{3}(?:\D|$))/g, '')
    .replaceAll(/[−–]/g, '-')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/\.$/, '')
    .replace(/^["'“‘](.*)["'”’]$/s, '$1')
    .replace(/\.$/, '')
    .trim()
}

const decimal = /^([+-]?)(\d+)?(?:\.(\d+))?$/

/** A number as a fraction in lowest terms; null for anything else. */
function rational(text: string): string | null {
  const percent = /^(.+?)\s*%$/.exec(text)
  const compact = (percent?.[1] ?? text).replaceAll(' ', '')
  const parts =
    /^([+-]?)\\frac\{([^{}]+)\}\{([^{}]+)\}$/.exec(compact) ?? /^()([^/]+)\/([^/]+)$/.exec(compact)
  const over = parts ? fraction(parts[2] ?? '') : fraction(compact)
  const under = parts ? fraction(parts[3] ?? '') : { top: 1n, bottom: 1n }
  if (over === null || under === null || under.top === 0n) return null
  const sign = parts?.[1] === '-' ? -1n : 1n
  const top = sign * over.top * under.bottom
  const bottom = over.bottom * under.top * (percent ? 100n : 1n)
  return reduced(top, bottom)
}

function fraction(text: string): { top: bigint; bottom: bigint } | null {
  const match = decimal.exec(text)
  if (!match || (match[2] === undefined && match[3] === undefined) || text.length > 200) return null
  const [, sign, whole = '', part = ''] = match
  const top = BigInt(`${whole}${part}`) * (sign === '-' ? -1n : 1n)
  return { top, bottom: 10n ** BigInt(part.length) }
}

function reduced(top: bigint, bottom: bigint): string {
  let [a, b] = [top < 0n ? -top : top, bottom < 0n ? -bottom : bottom]
  while (b !== 0n) [a, b] = [b, a % b]
  const divisor = a === 0n ? 1n : a
  const sign = top < 0n !== bottom < 0n && top !== 0n ? '-' : ''
  const absolute = (value: bigint) => (value < 0n ? -value : value) / divisor
  return absolute(bottom) === 1n ? `${sign}${absolute(top)}` : `${sign}${absolute(top)}/${absolute(bottom)}`
}

/** What a program printed, as it is compared: line ends alike, nothing at the end of a line or of the whole. White space before or inside counts. */
export const normaliseOutput = (text: string): string =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n+$/, '')
