/** What of ours is found again by: the run in a label value, and who made it. Selectors are the run's alone. */
export const runLabel = 'ringside.dev/run'
export const managedLabel = 'app.kubernetes.io/managed-by'
export const manager = 'ringside'

export const labelsOf = (run: string): Record<string, string> => ({
  'app.kubernetes.io/name': 'ringside-verifier',
  [managedLabel]: manager,
  [runLabel]: run,
})

export const selectorOf = (run: string): Record<string, string> => ({ [runLabel]: run })

/** Everything with our label, in every namespace that one may list. */
export const ourSelector = `${managedLabel}=${manager},${runLabel}`

/** A pod's name is its deployment's and about 17 characters more, and must stay a label of DNS: 63. */
const longestName = 46
const longestRunPart = 30

/** FNV-1a in base 36: tells two long names with the same beginning apart. */
function digest(text: string): string {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return hash.toString(36).padStart(7, '0').slice(-6)
}

/** Lower-case letters, digits and inner dashes, at most `most` of them; what was cut is told apart by a digest of the whole. */
export function namePart(text: string, most: number): string {
  const plain = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  if (plain.length <= most && plain !== '') return plain
  return `${plain.slice(0, most - 7).replace(/-+$/, '')}-${digest(text)}`.replace(/^-/, 'x')
}

/** @param base the shared verifier's name, or what kind of thing it is. @returns at most 46 characters, the run part of it at most 30. */
export function verifierName(base: string, run: string): string {
  const part = namePart(run, longestRunPart)
  return `${namePart(base, longestName - part.length - 1)}-${part}`
}
