import type { SQLInputValue } from 'node:sqlite'
import { AppError } from '#shared/base/errors.ts'
import type { Extraction, Grade, Status } from '#shared/domain/grade.ts'
import type { RolloutDetail } from '#shared/ipc/contract.ts'
import { decodeLine } from '#shared/journal/decode.ts'
import { savedAudit } from '../store/audits.ts'
import { parseEvidence } from '../store/contents.ts'
import type { EvidenceStore } from '../store/evidence.ts'
import type { Database } from '../store/index/database.ts'
import { decodeUtf8, readRange } from '../store/journal.ts'
import type { StorePaths } from '../store/paths.ts'
import { savedRun } from '../store/saved-run.ts'
import { rolloutRow, rowColumns, type SavedRow } from './row.ts'
import type { SuiteFacts } from './suite-facts.ts'

/** Others shown beside a rollout: a group at its largest; of an evaluation's many draws, the next ones. */
const siblingsShown = 64
const sameBodyShown = 200
/** Characters of all bodies shown beside one: a group of very long ones would hold up the window. Those past it are listed without their body. */
const siblingChars = 4_000_000

type Located = SavedRow & {
  run: number
  run_name: string
  completion_sha: string | null
  grade_at: number | null
  grade_bytes: number | null
}

export type DetailDeps = {
  db: Database
  paths: StorePaths
  evidence: EvidenceStore
  suites: SuiteFacts
  /** The completion from where it still is, if it is not in the evidence store yet. */
  completionOf: (run: string, sha256: string) => Promise<Uint8Array | null>
}

/** Everything about one rollout, read from the index, the journal's copy, the evidence and the suites. @throws {AppError} `not_found` */
export async function rolloutDetail(deps: DetailDeps, rollout: string): Promise<RolloutDetail> {
  const { db, evidence, suites, paths } = deps
  const saved = db.get<Located>(
    `SELECT 0 AS sort_key, run, (SELECT run FROM runs WHERE id = rollouts.run) AS run_name,
      (SELECT sha FROM hashes WHERE id = completion) AS completion_sha, grade_at, grade_bytes, ${rowColumns}
    FROM rollouts WHERE rollout = ?`,
    rollout,
  )
  if (!saved) throw new AppError('not_found', `There is no rollout ${rollout}.`)
  const { spec } = savedRun(db, saved.run_name).state
  const graded = await gradeOf(deps, saved)
  const bytes = saved.evidence_sha ? await evidence.get(saved.evidence_sha) : null
  const found = bytes && parseEvidence(bytes)
  const completion = saved.completion_sha
    ? await deps.completionOf(saved.run_name, saved.completion_sha)
    : null
  const training = await suites.of(spec?.suite, saved.task)
  const audit = await suites.of(spec?.audit, saved.task)
  return {
    row: rolloutRow(saved),
    prompt: training.prompt,
    completion: completion ? decodeUtf8(completion) : (found?.completion ?? null),
    completionSha256: saved.completion_sha ?? '',
    extraction: graded.extraction,
    body: found?.body ?? null,
    grade: graded.grade,
    components: graded.components,
    evidence: found,
    auditGrade: saved.body_sha
      ? await savedAudit(db, paths, saved.run_name, saved.task, saved.body_sha)
      : null,
    reference: training.reference ?? audit.reference,
    language: training.language,
    cases: { training: training.cases, audit: audit.cases },
    siblings: await siblings(deps, saved),
    previous: await previous(deps, saved),
    sameBody: sameBody(db, saved),
    files: files(deps, saved, bytes !== null, training.path),
  }
}

type Graded = {
  grade: Grade | null
  extraction: Extraction | null
  components: Record<string, number | null>
}

/** The grade as it stands in the journal, every test included. */
async function gradeOf({ paths }: DetailDeps, saved: Located): Promise<Graded> {
  const none = { grade: null, extraction: null, components: {} }
  if (saved.grade_at === null || saved.grade_bytes === null) return none
  const bytes = await readRange(paths.journal(saved.run_name), saved.grade_at, saved.grade_bytes)
  const line = decodeLine(decodeUtf8(bytes ?? new Uint8Array()).trimEnd())
  if (line.kind !== 'event') return none
  const { event } = line
  if (event.type === 'rollout.graded' && event.rollout === saved.rollout)
    return { grade: event.grade, extraction: event.extraction, components: event.components }
  if (event.type === 'eval.draw' && event.rollout === saved.rollout) return { ...none, grade: event.grade }
  return none
}

async function siblings({ db, evidence }: DetailDeps, saved: Located): Promise<RolloutDetail['siblings']> {
  const [where, values]: [string, SQLInputValue[]] =
    saved.step !== null
      ? ['run = ? AND step = ? AND grp IS ? AND n <> ?', [saved.run, saved.step, saved.grp, saved.n]]
      : ['run = ? AND policy = ? AND task = ? AND n > ?', [saved.run, saved.policy, saved.task, saved.n]]
  // The sign keeps SQLite from going through the whole run in its order for the sake of these few.
  return Promise.all(shown({ db, evidence }, `${where} ORDER BY +n LIMIT ?`, [...values, siblingsShown]))
}

/** The draw in the same place of the last step before in which the policy was given the same task. */
async function previous(deps: DetailDeps, saved: Located): Promise<RolloutDetail['previous']> {
  if (saved.step === null) return null
  const where = 'run = ? AND task = ? AND idx = ? AND step < ? ORDER BY step DESC, n LIMIT 1'
  const [found] = shown(deps, where, [saved.run, saved.task, saved.idx, saved.step])
  return (await found) ?? null
}

/** Other rollouts with their bodies, as far as the evidence is here. */
function shown(
  { db, evidence }: Pick<DetailDeps, 'db' | 'evidence'>,
  where: string,
  values: SQLInputValue[],
): Promise<RolloutDetail['siblings'][number]>[] {
  const rows = db.all<{
    rollout: string
    status: Status | 'pending'
    reward: number | null
    evidence: string | null
  }>(
    `SELECT rollout, status, reward, (SELECT sha FROM hashes WHERE id = evidence) AS evidence
    FROM rollouts WHERE ${where}`,
    ...values,
  )
  let left = siblingChars
  return rows.map(async ({ evidence: sha, ...row }) => {
    const bytes = sha && left > 0 ? await evidence.get(sha).catch(() => null) : null
    const body = (bytes && parseEvidence(bytes)?.body) ?? null
    left -= body?.length ?? 0
    return { ...row, body: left < 0 ? null : body }
  })
}

const sameBody = (db: Database, saved: Located): RolloutDetail['sameBody'] =>
  db.all<{ rollout: string; step: number | null }>(
    `SELECT rollout, step FROM rollouts WHERE run = ? AND body = (SELECT id FROM hashes WHERE sha = ?) AND n <> ? ORDER BY n LIMIT ?`,
    saved.run,
    saved.body_sha,
    saved.n,
    sameBodyShown,
  )

function files(
  { paths, evidence }: DetailDeps,
  saved: Located,
  hasEvidence: boolean,
  reference: string | null,
): RolloutDetail['files'] {
  return [
    { label: 'journal', path: paths.journal(saved.run_name) },
    ...(saved.evidence_sha && hasEvidence
      ? [{ label: 'evidence', path: evidence.pathOf(saved.evidence_sha) }]
      : []),
    ...(saved.completion_sha ? [{ label: 'completion', path: evidence.pathOf(saved.completion_sha) }] : []),
    ...(reference ? [{ label: 'reference', path: reference }] : []),
  ]
}
