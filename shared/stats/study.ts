import type { Study, StudyDraw } from '../domain/study.ts'
import { type AcceptanceTable, acceptanceTable } from './acceptance.ts'
import { mean } from './intervals.ts'
import { orderingDisagreement } from './ordering.ts'
import { type Paired, pairedDifference } from './paired.ts'

/** Counts over a set of draws. A draw without a program stays in the denominator, as a failure. */
export type ArmFigures = {
  draws: number
  atMostOne: number
  partial: number
  full: number
  /** Mean share of audit cases passed, 0 to 1. */
  meanCaseAccuracy: number | null
  inclusiveSignature: number
  tokenCap: number
}

export type MechanismFigures = {
  verifier: string
  verifierPassed: number
  auditPassed: number
  draws: number
  sources: number
}

export type StudyFigures = {
  draws: number
  arms: Record<string, Record<string, ArmFigures>>
  confusion: Record<string, Omit<AcceptanceTable, 'unknown'>>
  mechanisms: MechanismFigures[]
  ordering: { eligiblePairs: number; discordant: Record<string, number> }
  /** In percentage points of the per-seed rates; per-seed keys are training seeds. */
  paired: Record<string, Record<string, Paired>>
  /** The first N draws of every final policy, all of an arm's policies together. */
  prefix: Record<string, Record<string, ArmFigures>>
  final: { draws: number; parse: number; auditPass: number; tokenCapAndPass: number }
  distinctSources: number
  distinctAuditPassing: number
  withoutProgram: number
}

const prefixes = [8, 16, 32, 64, 128]

/** Every figure of a study. The final cohort is the largest update that occurs. */
export function analyzeStudy(study: Study): StudyFigures {
  const { draws, cases } = study
  const lastUpdate = Math.max(...draws.map((draw) => draw.update))
  const final = draws.filter((draw) => draw.update === lastUpdate)
  const full = (draw: StudyDraw) => draw.audit === cases.audit
  const programs = (list: StudyDraw[]) => new Set(list.flatMap((draw) => draw.source ?? [])).size
  return {
    draws: draws.length,
    arms: mapGroups(
      draws,
      (draw) => draw.arm,
      (arm) =>
        mapGroups(
          arm,
          (draw) => String(draw.update),
          (list) => armFigures(list, cases.audit ?? 0),
        ),
    ),
    confusion: confusion(study),
    mechanisms: mechanisms(study),
    ordering: orderingDisagreement(
      final.map((draw) => draw.audit),
      Object.fromEntries(
        verifierNames(study).map((name) => [name, final.map((draw) => draw.verifiers[name] ?? Number.NaN)]),
      ),
    ),
    paired: paired(final, cases.audit ?? 0),
    prefix: Object.fromEntries(prefixes.map((n) => [n, prefixFigures(final, n, cases.audit ?? 0)])),
    final: {
      draws: final.length,
      parse: final.filter((draw) => draw.syntaxValid).length,
      auditPass: final.filter(full).length,
      tokenCapAndPass: final.filter((draw) => draw.hitTokenCap && full(draw)).length,
    },
    distinctSources: programs(draws),
    distinctAuditPassing: programs(draws.filter(full)),
    withoutProgram: draws.filter((draw) => draw.source === null).length,
  }
}

const verifierNames = (study: Study) => Object.keys(study.cases).filter((name) => name !== 'audit')

function armFigures(draws: StudyDraw[], auditCases: number): ArmFigures {
  const count = (holds: (draw: StudyDraw) => boolean) => draws.filter(holds).length
  return {
    draws: draws.length,
    atMostOne: count((draw) => draw.audit <= 1),
    partial: count((draw) => draw.audit > 1 && draw.audit < auditCases),
    full: count((draw) => draw.audit === auditCases),
    meanCaseAccuracy: mean(draws.map((draw) => draw.audit / auditCases)),
    inclusiveSignature: count((draw) => draw.inclusiveSignature),
    tokenCap: count((draw) => draw.hitTokenCap),
  }
}

function confusion(study: Study): StudyFigures['confusion'] {
  const rows = verifierNames(study).map((name) => {
    const { unknown: _, ...table } = acceptanceTable(
      study.draws.map((draw) => ({
        accepted: draw.verifiers[name] === study.cases[name],
        right: draw.audit === study.cases.audit,
        program: draw.source,
      })),
    )
    return [name, table]
  })
  return Object.fromEntries(rows)
}

/** False acceptances by score signature: the verifier that accepted and the audit's score, most draws first. */
function mechanisms(study: Study): MechanismFigures[] {
  return verifierNames(study).flatMap((verifier) => {
    const wrong = study.draws.filter(
      (draw) => draw.verifiers[verifier] === study.cases[verifier] && draw.audit !== study.cases.audit,
    )
    const groups = mapGroups(
      wrong,
      (draw) => String(draw.audit),
      (list) => ({
        verifier,
        verifierPassed: study.cases[verifier] ?? 0,
        auditPassed: list[0]?.audit ?? 0,
        draws: list.length,
        sources: new Set(list.map((draw) => draw.source)).size,
      }),
    )
    return Object.values(groups).sort((a, b) => b.draws - a.draws)
  })
}

/** Metrics that are compared arm against arm; all but the last are counts, compared as rates. */
const metrics = [
  'full',
  'partial',
  'atMostOne',
  'inclusiveSignature',
  'tokenCap',
  'meanCaseAccuracy',
] as const

function paired(final: StudyDraw[], auditCases: number): StudyFigures['paired'] {
  const perArm = mapGroups(
    final.filter((draw) => draw.seed !== null),
    (draw) => draw.arm,
    (arm) =>
      mapGroups(
        arm,
        (draw) => draw.seed ?? '',
        (list) => armFigures(list, auditCases),
      ),
  )
  const points = (arm: string, metric: (typeof metrics)[number]) =>
    Object.fromEntries(
      Object.entries(perArm[arm] ?? {}).map(([seed, figures]) => {
        const value = figures[metric] ?? Number.NaN
        return [seed, 100 * (metric === 'meanCaseAccuracy' ? value : value / figures.draws)]
      }),
    )
  const arms = Object.keys(perArm)
  const pairs = arms.flatMap((a) => arms.filter((b) => b !== a).map((b) => [a, b] as const))
  return Object.fromEntries(
    pairs.map(([a, b]) => [
      `${a}-${b}`,
      Object.fromEntries(
        metrics.map((metric) => [metric, pairedDifference(points(a, metric), points(b, metric))]),
      ),
    ]),
  )
}

function prefixFigures(final: StudyDraw[], n: number, auditCases: number): Record<string, ArmFigures> {
  return mapGroups(
    final,
    (draw) => draw.arm,
    (arm) => {
      const policies = Object.values(mapGroups(arm, (draw) => draw.seed ?? '', byDraw))
      return armFigures(
        policies.flatMap((draws) => draws.slice(0, n)),
        auditCases,
      )
    },
  )
}

const byDraw = (draws: StudyDraw[]) => draws.toSorted((a, b) => Number(a.draw) - Number(b.draw))

/** Groups of `items` by `key`, in order of key, each turned into one value. */
function mapGroups<T, R>(items: T[], key: (item: T) => string, value: (group: T[]) => R): Record<string, R> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(key(item))
    if (group) group.push(item)
    else groups.set(key(item), [item])
  }
  const numeric = new Intl.Collator('en', { numeric: true })
  return Object.fromEntries(
    [...groups.entries()]
      .sort(([a], [b]) => numeric.compare(a, b))
      .map(([name, group]) => [name, value(group)]),
  )
}
