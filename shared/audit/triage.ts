/** What a list of programs to be looked through needs of each. */
export type Reviewed = { bodySha256: string; verdict: string | null }

/** The next program without a verdict after the one at hand, around the end; null where none is open. One pass, no copy of the list. */
export function nextOpen(bodies: readonly Reviewed[], current: string | null): string | null {
  const at = bodies.findIndex((body) => body.bodySha256 === current)
  for (let step = 1; step <= bodies.length; step += 1) {
    const body = bodies[(at + step) % bodies.length]
    if (body?.verdict === null) return body.bodySha256
  }
  return null
}

/** The program `by` places further down the list, stopping at its ends. */
export function neighbourOf(bodies: readonly Reviewed[], current: string | null, by: number): string | null {
  const at = bodies.findIndex((body) => body.bodySha256 === current)
  const to = at === -1 ? 0 : Math.max(0, Math.min(bodies.length - 1, at + by))
  return bodies[to]?.bodySha256 ?? null
}
