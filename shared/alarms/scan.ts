import type { StepRow } from '../journal/state.ts'
import { type Alarm, type AlarmCode, type AlarmFacts, alarmCodes, type Finding } from './alarm.ts'
import { limits } from './limits.ts'
import { entropy, gradient, klJump } from './policy-rules.ts'
import {
  duplicateBodies,
  heldOutFlat,
  nullShare,
  type StepRule,
  shapingDominates,
  silentGroups,
  tamperSpike,
  truncation,
} from './reward-rules.ts'
import { runRules, trainerAlerts } from './run-rules.ts'

/** One stretch of steps in which a rule held, as a mark on the step axis. */
export type AlarmEpisode = { code: AlarmCode; from: number; to: number; last: Finding }

const stepRules: [AlarmCode, StepRule][] = [
  ['null_share', nullShare],
  ['tamper_spike', tamperSpike],
  ['silent_groups', silentGroups],
  ['shaping_dominates', shapingDominates],
  ['truncation', truncation],
  ['duplicate_bodies', duplicateBodies],
  ['gradient', gradient],
  ['entropy', entropy],
  ['kl_jump', klJump],
]

/** Steps looked at again when the held-out figures change, which come later than their steps. */
const judgedLate = 3 * limits.window

/**
 * Finds the alarms of a run, step after step. Steps that did not change are not looked at again: rows are told apart by identity, so whoever
 * feeds this replaces a row that changed. Memory is one entry a step with a finding.
 */
export class AlarmScan {
  private seen: StepRow[] = []
  private findings = new Map<number, [AlarmCode, Finding][]>()

  /** Every stretch, in order of its first step. */
  episodes(facts: AlarmFacts): AlarmEpisode[] {
    this.look(facts)
    const open = new Map<AlarmCode, { episode: AlarmEpisode; at: number }>()
    const all: AlarmEpisode[] = []
    for (const [at, found] of [...this.findings].sort(([a], [b]) => a - b)) {
      const step = this.seen[at]?.step ?? 0
      for (const [code, last] of found) {
        const held = open.get(code)
        if (held && at - held.at <= limits.linger) {
          Object.assign(held.episode, { to: step, last })
          held.at = at
          continue
        }
        const episode = { code, from: step, to: step, last }
        open.set(code, { episode, at })
        all.push(episode)
      }
    }
    return all
  }

  /** What holds now, worst first: what is wrong with the run, and what was with its latest steps. At most one of a code. */
  alarms(facts: AlarmFacts): Alarm[] {
    const episodes = this.episodes(facts)
    const latest = facts.steps.at(-limits.linger)?.step ?? Number.NEGATIVE_INFINITY
    const ofSteps = episodes
      .filter((episode) => episode.to >= latest)
      .map(({ code, from, last }): Alarm => ({ ...last, code, step: from, since: `step ${from}` }))
    const ofRun = runRules.flatMap((rule) => rule(facts) ?? [])
    const first = new Map<string, Alarm>()
    for (const alarm of [...ofSteps.reverse(), ...ofRun, ...trainerAlerts(facts)]) {
      const key = alarm.code === 'trainer_alert' ? alarm.since : alarm.code
      if (!first.has(key)) first.set(key, alarm)
    }
    return [...first.values()].sort((a, b) => rank(a) - rank(b))
  }

  /** Looks at the steps that changed. Whoever is told of many at once calls this between portions, as what was looked at is not looked at again. */
  look(facts: AlarmFacts): void {
    const { steps, heldOut } = facts
    let from = 0
    while (from < steps.length && this.seen[from] === steps[from]) from += 1
    const rules: [AlarmCode, StepRule][] = [...stepRules, ['held_out_flat', heldOutFlat(heldOut)]]
    for (const at of this.findings.keys()) if (at >= from) this.findings.delete(at)
    for (let at = from; at < steps.length; at += 1) this.lookAt(steps, at, rules)
    for (let at = Math.max(0, from - judgedLate); at < from; at += 1) this.lookAgain(steps, at, heldOut)
    this.seen = [...steps]
  }

  private lookAt(steps: readonly StepRow[], at: number, rules: [AlarmCode, StepRule][]): void {
    const found = rules.flatMap(([code, rule]): [AlarmCode, Finding][] => {
      const finding = rule(steps, at)
      return finding ? [[code, finding]] : []
    })
    if (found.length > 0) this.findings.set(at, found)
    else this.findings.delete(at)
  }

  private lookAgain(steps: readonly StepRow[], at: number, heldOut: AlarmFacts['heldOut']): void {
    const kept = (this.findings.get(at) ?? []).filter(([code]) => code !== 'held_out_flat')
    const finding = heldOutFlat(heldOut)(steps, at)
    if (finding) kept.push(['held_out_flat', finding])
    if (kept.length > 0) this.findings.set(at, kept)
    else this.findings.delete(at)
  }
}

const rank = ({ code, level }: Alarm): number => alarmCodes.indexOf(code) + (level === 'error' ? 0 : 100)
