import { withoutBodies } from '#shared/tasks/prompt.ts'
import type { Survey } from '#shared/tasks/survey.ts'
import type { Candidate, Drop } from './candidates.ts'
import { fewestNgrams, fingerprintOf } from './contamination/fingerprint.ts'
import { Stretches } from './contamination/stretches.ts'
import { TokenScanner } from './contamination/token-scanner.ts'
import { heldOutSpans } from './prompts.ts'

/** Drops a body that stands in its own repository once more: what is exported for training would give it away. */
export function duplicatesIn(
  survey: Survey,
  candidates: readonly Candidate[],
): { unique: Candidate[]; dropped: Drop[] } {
  const fingerprints = candidates
    .map(({ id, body }) => fingerprintOf(id, body))
    .filter(({ ngrams }) => ngrams.length >= fewestNgrams)
  const places = new Map<string, string>()
  for (const [file, { text }] of Object.entries(survey.files)) {
    const bytes = Buffer.from(withoutBodies(text, heldOutSpans(file, candidates)))
    const stretches = new Stretches(fingerprints, ({ body, share, offset }) => {
      const task = fingerprints[body]?.task ?? ''
      const near = bytes
        .subarray(offset, offset + 60)
        .toString('utf8')
        .replaceAll(/\s+/g, ' ')
      if (!places.has(task)) places.set(task, `${Math.round(share * 100)} % of it in ${file}: ${near}`)
    })
    const scanner = new TokenScanner(stretches.index, (entry, offset, token) =>
      stretches.hit(entry, offset, token),
    )
    scanner.push(bytes, bytes.length, true)
    stretches.end()
  }
  return {
    unique: candidates.filter(({ id }) => !places.has(id)),
    dropped: candidates.flatMap(({ id }): Drop[] => {
      const place = places.get(id)
      return place === undefined ? [] : [{ task: id, reason: 'duplicated_in_repository', detail: place }]
    }),
  }
}
