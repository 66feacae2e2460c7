import type { Command } from 'commander'
import type { StudyFigures } from '#shared/stats/study.ts'
import { print, printJson, table } from '../output.ts'

export function addStudy(program: Command): void {
  program
    .command('study')
    .description('tables of saved draws')
    .command('analyze <file>')
    .description('every figure of a study: arms, confusion, ordering, paired differences, prefixes')
    .option('--json', 'print all figures as one JSON object')
    .action(analyze)
}

async function analyze(file: string, { json }: { json?: true }): Promise<void> {
  const { loadStudy } = await import('#services/studies/load.ts')
  const { analyzeStudy } = await import('#shared/stats/study.ts')
  const study = await loadStudy(file)
  const figures = analyzeStudy(study)
  if (json) printJson(figures)
  else print(inWords(study.title, study.source, figures))
}

/** The two tables that a person looks for first; the rest is in `--json`. */
function inWords(title: string, source: string, figures: StudyFigures): string {
  const arms = Object.entries(figures.arms).flatMap(([arm, updates]) =>
    Object.entries(updates).map(([update, row]) =>
      [arm, update, row.draws, row.atMostOne, row.partial, row.full].map(String),
    ),
  )
  const confusion = Object.entries(figures.confusion).map(([verifier, row]) =>
    [verifier, row.acceptedPass, row.acceptedFail, row.rejectedPass, row.rejectedFail].map(String),
  )
  return [
    `${title}: ${figures.draws} draws, ${figures.distinctSources} distinct programs. Source: ${source.replace(/\.$/, '')}.`,
    '',
    table(['arm', 'update', 'draws', 'audit ≤ 1', 'partial', 'full'], arms),
    '',
    table(['verifier', 'accepted right', 'accepted wrong', 'rejected right', 'rejected wrong'], confusion),
  ].join('\n')
}
