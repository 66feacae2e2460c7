import { AppError } from '#shared/base/errors.ts'
import type { SourceDraft } from '#shared/domain/run.ts'
import { type MutantReport, withMarks } from '#shared/mutation/report.ts'
import type { LeaseLedger } from '../leases/ledger.ts'
import { resolveSource, sourceArguments } from '../runs/suite-source.ts'
import { loadSuite, type Suite } from '../runs/suites.ts'
import { type GradeAll, gradeAll, withOwnVerifier } from '../verifier/grade-all.ts'
import { readMarks, writeMark } from './marks.ts'
import { measureMutants } from './measure.ts'
import { keepReport, savedReport } from './saved-reports.ts'

export type MutantsDeps = {
  ledger: LeaseLedger
  scratch: string
  /** Where marks as equivalent are kept. */
  marks: string
  /** Folder where what was measured of whole suites is kept. */
  reports: string
  env: NodeJS.ProcessEnv
  now: () => Date
}

export type MutantsRequest = {
  /** Suite folders. */
  suite: string
  audit: string | null
  task: string | null
  limit: number
  /** Repository and commit of suites over one. */
  source: SourceDraft | null
  signal?: AbortSignal
  onGrade?: (suite: string, done: number, of: number) => void
}

/** Finds a suite's holes before any training does: faults planted in the reference that its tests accept. */
export class MutantsService {
  private readonly deps: MutantsDeps

  constructor(deps: MutantsDeps) {
    this.deps = deps
  }

  /** @throws {AppError} `bad_suite`, `bad_input` for a language without mutants, or what the verifier said. */
  async measure(request: MutantsRequest): Promise<MutantReport> {
    const training = await loadSuite(request.suite)
    const audit = request.audit === null ? null : await loadSuite(request.audit)
    if (request.source && ![training, audit].some((suite) => suite?.manifest.grader === 'cargo'))
      throw new AppError('bad_input', 'A repository was named, and neither suite is over one.')
    const report = await measureMutants({
      training,
      audit,
      gradeTraining: this.by(training, request),
      gradeAudit: audit ? this.by(audit, request) : () => Promise.resolve(new Map()),
      marks: await readMarks(this.deps.marks),
      task: request.task,
      limit: request.limit,
      auditAll: true,
    })
    if (request.task === null && report.total.graded === report.total.possible)
      await keepReport(this.deps.reports, report)
    return report
  }

  /** A few mutants of the whole suite, graded for training by a verifier that is there; the audit is asked of survivors only. */
  async sample(
    training: Suite,
    { audit: auditPath, source }: Pick<MutantsRequest, 'audit' | 'source'>,
    gradeTraining: GradeAll,
    mutants: number,
  ): Promise<MutantReport> {
    const audit = auditPath === null ? null : await loadSuite(auditPath)
    const [one] = training.tasks
    return measureMutants({
      training,
      audit,
      gradeTraining,
      gradeAudit: audit ? this.by(audit, { source }) : () => Promise.resolve(new Map()),
      marks: await readMarks(this.deps.marks),
      task: training.tasks.length > mutants ? (one?.id ?? null) : null,
      limit: Math.max(1, Math.floor(mutants / training.tasks.length)),
      auditAll: false,
    })
  }

  /** What was measured of these very suites before, with the marks of now; null where nothing was. */
  async saved(training: Suite, auditPath: string | null): Promise<MutantReport | null> {
    const audit = auditPath === null ? null : await loadSuite(auditPath)
    const report = await savedReport(
      this.deps.reports,
      training.manifest.sha256,
      audit?.manifest.sha256 ?? null,
    )
    const marks = await readMarks(this.deps.marks)
    return report && withMarks(report, (row) => marks.of(row.referenceSha256, row.id))
  }

  /** @param equivalent why the mutant does the same as its reference; null takes the mark back. */
  mark(referenceSha256: string, mutant: string, equivalent: string | null): Promise<void> {
    return writeMark(this.deps.marks, {
      at: this.deps.now().toISOString(),
      referenceSha256,
      mutant,
      equivalent,
    })
  }

  private by(
    suite: Suite,
    { source, signal, onGrade }: Pick<MutantsRequest, 'source' | 'signal' | 'onGrade'>,
  ): GradeAll {
    const { ledger, scratch, env } = this.deps
    return async (bodies) =>
      withOwnVerifier(
        {
          ledger,
          scratch,
          env,
          suite: suite.path,
          run: null,
          workers: 2,
          purpose: 'mutants verifier',
          background: true,
          args: sourceArguments(await resolveSource(suite, source)),
        },
        (verifier) =>
          gradeAll(verifier, bodies, {
            ...(signal && { signal }),
            onGrade: (done) => onGrade?.(suite.manifest.name, done, bodies.length),
          }),
      )
  }
}
