/** What a list of programs to be looked through needs of each; without a body there is nothing that a verdict could be about. */
export type Reviewed = { key: string; bodySha256: string | null; verdict: string | null }

/** The next program without a verdict after the one at hand, around the end; null where none is open. One pass, no copy of the list. */
export function nextOpen(rows: readonly Reviewed[], current: string | null): string | null {
  const at = rows.findIndex((row) => row.key === current)
  for (let step = 1; step <= rows.length; step += 1) {
    const row = rows[(at + step) % rows.length]
    if (row && row.verdict === null && row.bodySha256 !== null) return row.key
  }
  return null
}

/** The program `by` places further down the list, stopping at its ends. */
export function neighbourOf(rows: readonly Reviewed[], current: string | null, by: number): string | null {
  const at = rows.findIndex((row) => row.key === current)
  const to = at === -1 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by))
  return rows[to]?.key ?? null
}
