/**
 * The words of a command line as a shell would cut them: blanks part them, quotes hold them together, a backslash takes the next letter as it is.
 * Nothing is expanded. @returns null where a quote is not closed.
 */
export function commandWords(line: string): string[] | null {
  const words: string[] = []
  let word: string | null = null
  let quote: '"' | "'" | null = null
  for (let at = 0; at < line.length; at += 1) {
    const letter = line[at] ?? ''
    if (quote === null && /\s/.test(letter)) {
      if (word !== null) words.push(word)
      word = null
    } else if (letter === quote) quote = null
    else if (quote === null && (letter === '"' || letter === "'")) {
      quote = letter
      word ??= ''
    } else if (letter === '\\' && quote !== "'") {
      at += 1
      word = (word ?? '') + (line[at] ?? '')
    } else word = (word ?? '') + letter
  }
  if (quote !== null) return null
  if (word !== null) words.push(word)
  return words
}

/** A line that `commandWords` reads as these words. */
export const commandLine = (words: readonly string[]): string =>
  words.map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ')
