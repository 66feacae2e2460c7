import { tokenDistance } from '#shared/diff/token-diff.ts'
import type { Outputs } from '#shared/ipc/contract.ts'
import { parseEvidence } from '../store/contents.ts'
import type { EvidenceStore } from '../store/evidence.ts'
import type { Database } from '../store/index/database.ts'

/** Right programs that are compared with, those drawn most often first: each is a file the first time, and a comparison ever after. */
const mostCompared = 400
/** Bodies remembered, in characters of all of them. */
const rememberedChars = 16_000_000

type Right = { rollout: string; evidence: string | null }

/** Of a run and a task. From the audit's few bodies to the rollouts that have them: the other way goes through every rollout that passed. */
const rightPrograms = `
SELECT first.rollout, (SELECT sha FROM hashes WHERE id = first.evidence) AS evidence
FROM audits AS a JOIN rollouts AS first ON first.id = (
  SELECT id FROM rollouts INDEXED BY rollouts_body
  WHERE run = a.run AND body = a.body AND task = a.task AND status = 'passed' ORDER BY n LIMIT 1)
WHERE a.run = ? AND a.task = ? AND a.reward = 1
ORDER BY (SELECT count(*) FROM rollouts WHERE run = a.run AND body = a.body) DESC, first.n`

/** The right program of a run that is nearest to a body, where right means that training accepted it and the audit agrees. */
export class NearestRight {
  private readonly db: Database
  private readonly evidence: EvidenceStore
  private readonly bodies = new Map<string, string | null>()
  private chars = 0

  constructor(db: Database, evidence: EvidenceStore) {
    this.db = db
    this.evidence = evidence
  }

  /** @returns null where the rollout has no body, or no other program is known to be right. */
  async of(rollout: string): Promise<Outputs['rollouts.nearest']> {
    const saved = this.db.get<{ run: number; task: string; sha: string | null }>(
      'SELECT run, task, (SELECT sha FROM hashes WHERE id = evidence) AS sha FROM rollouts WHERE rollout = ?',
      rollout,
    )
    const body = saved?.sha ? await this.bodyOf(saved.sha) : null
    if (!saved || body === null) return null
    const right = this.db.all<Right>(rightPrograms, saved.run, saved.task)
    const compared = right.slice(0, mostCompared)
    let nearest: Outputs['rollouts.nearest'] = null
    for (const { rollout: first, evidence } of compared) {
      const other = evidence === null ? null : await this.bodyOf(evidence)
      if (other === null || other === body) continue
      const distance = tokenDistance(body, other)
      if (nearest === null || distance < nearest.distance)
        nearest = {
          rollout: first,
          body: other,
          distance,
          compared: compared.length,
          right: right.length,
        }
    }
    return nearest
  }

  /** Evidence never changes under its name; what is not here yet is asked for again. */
  private async bodyOf(sha256: string): Promise<string | null> {
    const known = this.bodies.get(sha256)
    if (known !== undefined) return known
    const bytes = await this.evidence.get(sha256).catch(() => null)
    if (!bytes) return null
    const body = parseEvidence(bytes)?.body ?? null
    if (this.chars > rememberedChars) {
      this.bodies.clear()
      this.chars = 0
    }
    this.bodies.set(sha256, body)
    this.chars += body?.length ?? 0
    return body
  }
}
