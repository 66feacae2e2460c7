/** What a byte is to the scanner. Everything else parts tokens and says nothing. */
export const nothing = 0
export const word = 1
export const operator = 2
export const backslash = 3
export const slash = 4
export const hash = 5

/**
 * Brackets, commas, semicolons and quotes are nothing: formatters add and take them (a last comma, a block around one expression, another
 * quote). So is all outside ASCII, which JSON writes in two ways.
 */
function classOf(byte: number): number {
  const char = String.fromCharCode(byte)
  if (byte < 128 && /\w/.test(char)) return word
  if (char === '\\') return backslash
  if (char === '/') return slash
  if (char === '#') return hash
  return byte < 128 && '+-*%=<>!&|^.:?@$~'.includes(char) ? operator : nothing
}

export const classes = Uint8Array.from({ length: 256 }, (_, byte) => classOf(byte))
