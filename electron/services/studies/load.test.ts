import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { falseAcceptRate, precision } from '#shared/stats/acceptance.ts'
import { analyzeStudy } from '#shared/stats/study.ts'
import { type DrawsOf, drawsOf } from '#shared/stats/study-draws.ts'
import { loadStudy } from './load.ts'

const published = join(import.meta.dirname, '../../../resources/demo/booking-study/draws.csv')

const study = await loadStudy(published)
const figures = analyzeStudy(study)
const behind = (of: DrawsOf) => drawsOf(study, of).length

describe('the published booking study', () => {
  it('gives the report’s acceptance tables and mechanisms', () => {
    expect(figures.draws).toBe(2048)
    expect(figures.confusion).toEqual({
      reference: {
        acceptedPass: 440,
        acceptedFail: 0,
        rejectedPass: 0,
        rejectedFail: 1608,
        falseAcceptSources: 0,
      },
      weak: {
        acceptedPass: 440,
        acceptedFail: 38,
        rejectedPass: 0,
        rejectedFail: 1570,
        falseAcceptSources: 33,
      },
      repaired: {
        acceptedPass: 440,
        acceptedFail: 0,
        rejectedPass: 0,
        rejectedFail: 1608,
        falseAcceptSources: 0,
      },
    })
    expect(
      figures.mechanisms.map(({ verifier, auditPassed, draws }) => [verifier, auditPassed, draws]),
    ).toEqual([
      ['weak', 127, 34],
      ['weak', 145, 4],
    ])
    const weak = { ...figures.confusion.weak, unknown: 0 } as Parameters<typeof precision>[0]
    expect(precision(weak).share).toBeCloseTo(1 - 0.0795, 4)
    expect(falseAcceptRate(weak)).toMatchObject({ count: 38, of: 1608 })
  })

  it('gives the report’s final cohort, buckets and prefixes', () => {
    const buckets = (arm: string) => {
      const row = figures.arms[arm]?.['24']
      return [row?.draws, row?.atMostOne, row?.partial, row?.full]
    }
    expect([buckets('weak'), buckets('repaired'), buckets('reference')]).toEqual([
      [512, 201, 181, 130],
      [512, 138, 261, 113],
      [512, 182, 210, 120],
    ])
    expect(figures.final).toEqual({ draws: 1536, parse: 1505, auditPass: 363, tokenCapAndPass: 29 })
    const first32 = Object.entries(figures.prefix['32'] ?? {}).map(([arm, row]) => [
      arm,
      row.full,
      row.inclusiveSignature,
    ])
    expect(first32).toEqual([
      ['reference', 20, 2],
      ['repaired', 28, 0],
      ['weak', 26, 1],
    ])
  })

  it('gives the report’s paired difference and ordering disagreement', () => {
    const difference = figures.paired['repaired-weak']?.full
    expect(difference?.mean).toBeCloseTo(-3.32, 2)
    expect(difference?.interval?.map((value) => value.toFixed(2))).toEqual(['-12.48', '5.84'])
    const share = (verifier: string) =>
      (100 * (figures.ordering.discordant[verifier] ?? 0)) / figures.ordering.eligiblePairs
    expect([share('weak').toFixed(2), share('repaired').toFixed(2)]).toEqual(['1.61', '1.89'])
  })

  it('counts distinct programs, and completions without one apart', () => {
    expect([figures.distinctSources, figures.distinctAuditPassing, figures.withoutProgram]).toEqual([
      1569, 321, 31,
    ])
  })
})

describe('the draws behind the figures', () => {
  it('are as many as each figure says', () => {
    for (const [arm, updates] of Object.entries(figures.arms))
      for (const [update, row] of Object.entries(updates)) {
        const of = { arm, update: Number(update) }
        expect({
          draws: behind(of),
          atMostOne: behind({ ...of, bucket: 'at_most_one' }),
          partial: behind({ ...of, bucket: 'partial' }),
          full: behind({ ...of, bucket: 'full' }),
          meanCaseAccuracy: row.meanCaseAccuracy,
          inclusiveSignature: behind({ ...of, inclusive: true }),
          tokenCap: behind({ ...of, tokenCap: true }),
        }).toEqual(row)
      }
    for (const [verifier, row] of Object.entries(figures.confusion))
      expect({
        acceptedPass: behind({ verifier, accepted: true, right: true }),
        acceptedFail: behind({ verifier, accepted: true, right: false }),
        rejectedPass: behind({ verifier, accepted: false, right: true }),
        rejectedFail: behind({ verifier, accepted: false, right: false }),
        falseAcceptSources: row.falseAcceptSources,
      }).toEqual(row)
    for (const { verifier, auditPassed, draws } of figures.mechanisms)
      expect(behind({ verifier, accepted: true, audit: auditPassed })).toBe(draws)
    for (const [first, arms] of Object.entries(figures.prefix))
      for (const [arm, row] of Object.entries(arms))
        expect(behind({ arm, first: Number(first), bucket: 'full' })).toBe(row.full)
    expect({
      draws: behind({ final: true }),
      parse: behind({ final: true, parses: true }),
      auditPass: behind({ final: true, right: true }),
      tokenCapAndPass: behind({ final: true, right: true, tokenCap: true }),
    }).toEqual(figures.final)
    expect(behind({ program: false })).toBe(figures.withoutProgram)
  })
})

describe('tables that cannot be used', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'study-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const header =
    'draw,seed,arm,update,source,extraction,syntax_valid,tokens,hit_token_cap,inclusive_signature,weak_passed,audit_passed'

  it.each([
    ['an empty file', '', 'holds no draws'],
    ['no audit', 'draw,arm,update,weak_passed\n1,a,0,3\n', 'has no column audit_passed'],
    [
      'a score that is no number',
      `${header}\n1,,a,0,ab,python_block,1,9,0,0,many,3\n`,
      'line 2, verifiers.weak',
    ],
    ['a missing flag', `${header}\n1,,a,0,ab,python_block,,9,0,0,1,3\n`, 'line 2, syntaxValid'],
    ['a ragged row', `${header}\n1,,a\n`, 'is no table'],
  ])('%s is named', async (name, text, message) => {
    const file = join(folder, `${name}.csv`)
    await writeFile(file, text)
    await expect(loadStudy(file)).rejects.toThrow(message)
  })
})
