import { createHash } from 'node:crypto'

/**
 * Places for a body, best first: by the highest hash of body and place (rendezvous hashing). A body keeps its place while that is there, and
 * when one goes only its own bodies move.
 */
export function orderFor(bodySha256: string, ids: readonly string[]): string[] {
  const weight = (id: string) => createHash('sha256').update(`${bodySha256}/${id}`).digest('hex')
  return [...ids]
    .map((id) => ({ id, weight: weight(id) }))
    .sort((a, b) => (a.weight < b.weight ? 1 : -1))
    .map(({ id }) => id)
}
