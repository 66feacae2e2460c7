import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import type { GradeLine } from '#shared/domain/grade.ts'
import type { Language } from '#shared/mutation/dialect.ts'
import { type Mutant, mutantsOf } from '#shared/mutation/mutants.ts'
import { fateOf, type MutantReport, type MutantRow, reportOf } from '#shared/mutation/report.ts'
import type { Suite } from '../runs/suites.ts'
import { loadParser } from '../syntax/parser.ts'
import type { GradeAll } from '../verifier/grade-all.ts'
import type { Marks } from './marks.ts'

export type Measure = {
  training: Suite
  audit: Suite | null
  gradeTraining: GradeAll
  /** Called only where there is an audit and something for it to grade. */
  gradeAudit: GradeAll
  marks: Marks
  /** One task; null for all. */
  task: string | null
  /** Mutants a task at most, spread evenly over the reference. */
  limit: number
  /** Whether the audit also grades what training rejects, which finds false rejections and costs as much again. */
  auditAll: boolean
}

type Subject = { task: string; source: string; referenceSha256: string; mutants: Mutant[]; possible: number }

/** Plants one fault at a time into each reference body and asks which the suites notice. */
export async function measureMutants(options: Measure): Promise<MutantReport> {
  const { training, audit } = options
  const subjects = await plant(options)
  const bodies = subjects.flatMap(({ task, mutants }) =>
    mutants.map((mutant) => ({ id: `${task}/${mutant.id}`, task, body: mutant.body })),
  )
  const byTraining = bodies.length === 0 ? new Map<string, GradeLine>() : await options.gradeTraining(bodies)
  const audited = new Set(audit?.tasks.map(({ id }) => id))
  const forAudit = bodies.filter(
    ({ id, task }) => audited.has(task) && (options.auditAll || byTraining.get(id)?.status === 'passed'),
  )
  const byAudit = forAudit.length === 0 ? new Map<string, GradeLine>() : await options.gradeAudit(forAudit)
  const rows = subjects.flatMap((subject) =>
    subject.mutants.map((mutant) => rowOf(subject, mutant, byTraining, byAudit, options.marks)),
  )
  const references = Object.fromEntries(subjects.map(({ task, source }) => [task, source]))
  const possible = new Map(subjects.map((subject) => [subject.task, subject.possible]))
  return reportOf(nameOf(training), audit && nameOf(audit), rows, possible, references)
}

function rowOf(
  { task, referenceSha256 }: Subject,
  mutant: Mutant,
  byTraining: Map<string, GradeLine>,
  byAudit: Map<string, GradeLine>,
  marks: Marks,
): MutantRow {
  const key = `${task}/${mutant.id}`
  const training = byTraining.get(key)?.status ?? 'unresolved'
  const audit = byAudit.get(key)?.status ?? null
  const fate = fateOf(training, audit)
  const equivalent = marks.of(referenceSha256, mutant.id)
  return { ...mutant, task, referenceSha256, training, audit, fate, equivalent }
}

async function plant({ training, task: only, limit }: Measure): Promise<Subject[]> {
  const { language } = training.manifest
  if (!isMutable(language))
    throw new AppError(
      'bad_input',
      `Mutants are made of Python and Rust bodies; this suite is in ${language}.`,
    )
  const tasks = training.tasks.filter(({ id }) => only === null || id === only)
  if (tasks.length === 0)
    throw new AppError('unknown_task', `The suite has no task ${only}.`, {
      hint: 'Use one that its tasks.jsonl names.',
    })
  const parse = await loadParser(language)
  const subjects: Subject[] = []
  for (const { id, reference } of tasks) {
    if (reference === null) continue
    const source = await readFile(join(training.path, reference), 'utf8')
    const referenceSha256 = createHash('sha256').update(source).digest('hex')
    subjects.push({ task: id, source, referenceSha256, ...mutantsOf(source, language, parse, limit) })
  }
  return subjects
}

const isMutable = (language: string): language is Language => language === 'python' || language === 'rust'
const nameOf = ({ manifest: { name, version, sha256 } }: Suite) => ({ name, version, sha256 })
