/** A group's place in a line of all groups, the same for the same seed whatever other groups there are (FNV-1a over seed and name). */
function placeOf(group: string, seed: number): number {
  let hash = 0x811c9dc5
  for (const char of `${seed}\0${group}`)
    hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return hash
}

/**
 * Which groups to hold out so that about `share` of the tasks is held out. Whole groups only: two functions of one crate, or two items of one
 * generator, are too alike for one to measure what was learnt from the other. At least one group stays on either side.
 * @param sizes tasks a group. @returns the held-out groups, in their order.
 */
export function groupsToHoldOut(sizes: ReadonlyMap<string, number>, share: number, seed: number): string[] {
  const groups = [...sizes.keys()].sort((a, b) => placeOf(a, seed) - placeOf(b, seed) || (a < b ? -1 : 1))
  const wanted = share * [...sizes.values()].reduce((sum, size) => sum + size, 0)
  const held: string[] = []
  let tasks = 0
  for (const group of groups) {
    const size = sizes.get(group) ?? 0
    // Taken where that brings the share nearer, and where something is left.
    if (held.length === groups.length - 1) break
    if (Math.abs(tasks + size - wanted) >= Math.abs(tasks - wanted) && held.length > 0) continue
    held.push(group)
    tasks += size
    if (tasks >= wanted) break
  }
  return held
}
