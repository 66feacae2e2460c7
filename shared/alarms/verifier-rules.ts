import type { Alarm, AlarmFacts } from './alarm.ts'
import { count } from './words.ts'

/** A replica that says another suite or commit than the run is pinned to. It is not asked for grades; with no other left, the run is blocked. */
export function verifierDrift({ verifier, state }: Pick<AlarmFacts, 'verifier' | 'state'>): Alarm | null {
  const replicas = verifier?.replicas ?? []
  const drifted = replicas.filter((replica) => replica.drifted)
  const [first] = drifted
  if (!first) return null
  const usable = replicas.filter((replica) => replica.usable).length
  return {
    code: 'verifier_drift',
    level: 'error',
    title: `${count(drifted.length, 'replica')} of the verifier drifted`,
    text: `${first.id}: ${first.problem}. ${usable === 0 ? 'Nothing is graded until that is put right.' : `It is not used; ${count(usable, 'other')} grade${usable === 1 ? 's' : ''}.`}`,
    evidence: { replica: first.id, says: first.commit, drifted: drifted.length, usable },
    link: { view: 'terminal' },
    step: state.step,
    since: `${first.uid} ${first.instance}`,
  }
}
