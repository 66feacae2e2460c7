/** A line to be put above the one that holds `at`, with that line's indent. */
export type Insertion = { at: number; text: string }

/** The text with the lines put in. */
export const insertLines = (text: string, insertions: readonly Insertion[]): string =>
  planned(text, insertions)
    .map(({ text: line }) => line)
    .join('\n')

/** A unified diff of the same, three lines of context, as `git apply` takes it. */
export function insertionDiff(path: string, text: string, insertions: readonly Insertion[]): string {
  const lines = planned(text, insertions)
  // What follows the last line end is no line.
  if (lines.at(-1)?.text === '') lines.pop()
  const shown = lines.map(() => false)
  for (const [at, line] of lines.entries())
    if (line.added) for (let near = at - 3; near <= at + 3; near += 1) if (near in shown) shown[near] = true
  const out = [`--- a/${path}`, `+++ b/${path}`]
  let before = 1
  let after = 1
  for (let at = 0; at < lines.length; ) {
    if (!shown[at]) {
      before += 1
      after += 1
      at += 1
      continue
    }
    let end = at
    while (shown[end]) end += 1
    const hunk = lines.slice(at, end)
    const added = hunk.filter((line) => line.added).length
    out.push(`@@ -${before},${hunk.length - added} +${after},${hunk.length} @@`)
    out.push(...hunk.map((line) => `${line.added ? '+' : ' '}${line.text}`))
    before += hunk.length - added
    after += hunk.length
    at = end
  }
  return `${out.join('\n')}\n`
}

function planned(text: string, insertions: readonly Insertion[]): { text: string; added: boolean }[] {
  const lines = text.split('\n')
  const byLine = new Map<number, string[]>()
  for (const { at, text: line } of insertions) {
    const number = text.slice(0, at).split('\n').length - 1
    const indent = /^[ \t]*/.exec(lines[number] ?? '')?.[0] ?? ''
    byLine.set(number, [...(byLine.get(number) ?? []), `${indent}${line}`])
  }
  return lines.flatMap((line, number) => [
    ...(byLine.get(number) ?? []).map((added) => ({ text: added, added: true })),
    { text: line, added: false },
  ])
}
