import { canonicalJson } from '#shared/base/canonical.ts'
import { toAppError } from '#shared/base/errors.ts'
import { Evidence } from '#shared/domain/verifier.ts'
import type { BoxFiles } from '../box/files.ts'
import { type EvidenceStore, sha256Of } from './evidence.ts'
import type { Database } from './index/database.ts'
import { decodeUtf8 } from './journal.ts'
import type { EvidenceGap } from './types.ts'

/** Side by side: enough to hide a link's delay, few enough to leave its other channels alone. */
const atOnce = 4
const slowestRetryMs = 60_000
/** Of each output, what the full-text search knows; all of it stays in the evidence. */
const searchedChars = 8192

type Wanted = {
  hash: number
  sha: string
  kind: 'completion' | 'evidence'
  tries: number
  tried_at: string | null
}

export type ContentDeps = {
  db: Database
  evidence: EvidenceStore
  now: () => Date
  boxFiles: (run: string) => BoxFiles | null
  fetchEvidence: (run: string, sha256: string) => Promise<Uint8Array | null>
  /** Something that the run names has come. */
  onPresent: (run: string) => void
}

/**
 * Brings the bytes that a run's journal names (completions, evidence of grades) into the evidence store. Bytes are stored first; only then does the
 * index call them present and know their text. What is missing is tried again, and never holds up the journal.
 */
export class Contents {
  private readonly deps: ContentDeps

  constructor(deps: ContentDeps) {
    this.deps = deps
  }

  gaps(run: string): EvidenceGap[] {
    return this.deps.db
      .all<{ sha: string; tries: number; tried_at: string | null; reason: string | null }>(
        `SELECT sha, tries, tried_at, reason FROM contents JOIN hashes ON hashes.id = hash
        WHERE present = 0 AND run = (SELECT id FROM runs WHERE run = ?) ORDER BY hash LIMIT 1000`,
        run,
      )
      .map(({ sha, tries, tried_at, reason }) => ({ sha256: sha, tries, lastTriedAt: tried_at, reason }))
  }

  /** Marks what is in the store already, without asking anyone: after a rebuild that is nearly everything. */
  async settle(run: string): Promise<void> {
    await this.each(run, this.wanted(run), (wanted) => this.local(wanted))
  }

  /**
   * Tries for everything that is missing and due, a few at a time.
   * @param force also for what was tried a moment ago. @returns when to try again, in ms from now; null where nothing is missing.
   */
  async fetch(run: string, force: boolean): Promise<number | null> {
    const due = this.wanted(run).filter((wanted) => force || this.waitMs(wanted) <= 0)
    await this.each(run, due, async (wanted) => (await this.local(wanted)) ?? this.remote(run, wanted))
    const left = this.wanted(run)
    return left.length === 0 ? null : Math.max(0, Math.min(...left.map((wanted) => this.waitMs(wanted))))
  }

  /** A completion, from the evidence store or else right now from the run's box; null where neither has it. */
  async completion(run: string, sha256: string): Promise<Uint8Array | null> {
    const here = await this.deps.evidence.get(sha256)
    if (here) return here
    const there = await readWhole(this.deps.boxFiles(run), `completions/${sha256}`).catch(() => null)
    return there && asNamed(there, sha256)
  }

  /** How many were looked for in vain; what is only just under way does not count. */
  missed(run: string): number {
    const found = this.deps.db.get<{ n: number }>(
      'SELECT count(*) AS n FROM contents WHERE present = 0 AND tries > 0 AND run = (SELECT id FROM runs WHERE run = ?)',
      run,
    )
    return found?.n ?? 0
  }

  private wanted(run: string): Wanted[] {
    return this.deps.db.all<Wanted>(
      `SELECT hash, sha, kind, tries, tried_at FROM contents JOIN hashes ON hashes.id = hash
      WHERE present = 0 AND run = (SELECT id FROM runs WHERE run = ?) ORDER BY hash`,
      run,
    )
  }

  private waitMs({ tries, tried_at }: Wanted): number {
    if (tried_at === null) return 0
    const pauseMs = Math.min(slowestRetryMs, 1000 * 2 ** Math.min(tries, 10))
    return Date.parse(tried_at) + pauseMs - this.deps.now().getTime()
  }

  private async each(
    run: string,
    list: Wanted[],
    find: (wanted: Wanted) => Promise<Uint8Array | null>,
  ): Promise<void> {
    const rest = [...list]
    let came = 0
    const worker = async () => {
      for (let wanted = rest.shift(); wanted; wanted = rest.shift())
        if (await this.one(run, wanted, find)) came += 1
    }
    await Promise.all(Array.from({ length: Math.min(atOnce, list.length) }, worker))
    if (came > 0) this.deps.onPresent(run)
  }

  private async one(
    run: string,
    wanted: Wanted,
    find: (wanted: Wanted) => Promise<Uint8Array | null>,
  ): Promise<boolean> {
    try {
      const bytes = await find(wanted)
      if (bytes) this.present(run, wanted, bytes)
      return bytes !== null
    } catch (failure) {
      this.miss(run, wanted, toAppError(failure).message)
      return false
    }
  }

  private async local(wanted: Wanted): Promise<Uint8Array | null> {
    return this.deps.evidence.get(wanted.sha)
  }

  private async remote(run: string, wanted: Wanted): Promise<Uint8Array | null> {
    const found =
      wanted.kind === 'evidence'
        ? await this.deps.fetchEvidence(run, wanted.sha)
        : await readWhole(this.deps.boxFiles(run), `completions/${wanted.sha}`)
    const bytes = found && asNamed(found, wanted.sha)
    if (bytes) {
      await this.deps.evidence.put(bytes)
      return bytes
    }
    this.miss(run, wanted, found ? 'other bytes came under this name' : 'it is nowhere to be had')
    return null
  }

  private present(run: string, { hash, kind }: Wanted, bytes: Uint8Array): void {
    const { db } = this.deps
    db.transaction(() => {
      if (kind === 'evidence' && !db.get('SELECT rowid FROM texts WHERE rowid = ?', hash)) {
        const text = searchable(bytes)
        if (text !== '') db.run('INSERT INTO texts(rowid, text) VALUES (?, ?)', hash, text)
      }
      db.run(
        'UPDATE contents SET present = 1, reason = NULL WHERE hash = ? AND run = (SELECT id FROM runs WHERE run = ?)',
        hash,
        run,
      )
    })
  }

  private miss(run: string, { hash }: Wanted, reason: string): void {
    this.deps.db.run(
      `UPDATE contents SET tries = tries + 1, tried_at = ?, reason = ?
      WHERE hash = ? AND run = (SELECT id FROM runs WHERE run = ?)`,
      this.deps.now().toISOString(),
      reason,
      hash,
      run,
    )
  }
}

async function readWhole(files: BoxFiles | null, path: string): Promise<Uint8Array | null> {
  const stat = await files?.stat(path)
  return files && stat ? files.read(path, 0, stat.sizeBytes) : null
}

/** The bytes as their name demands them; a server may have laid the same JSON out in another way. */
function asNamed(bytes: Uint8Array, sha256: string): Uint8Array | null {
  if (sha256Of(bytes) === sha256) return bytes
  try {
    const canonical = Buffer.from(canonicalJson(JSON.parse(decodeUtf8(bytes))))
    return sha256Of(canonical) === sha256 ? canonical : null
  } catch {
    return null
  }
}

export function parseEvidence(bytes: Uint8Array): Evidence | null {
  try {
    const parsed = Evidence.safeParse(JSON.parse(decodeUtf8(bytes)))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}

function searchable(bytes: Uint8Array): string {
  const evidence = parseEvidence(bytes)
  if (!evidence) return ''
  const outputs = evidence.output.map(({ text }) => text.slice(0, searchedChars))
  const details = evidence.grade.tests.flatMap(({ detail }) => detail ?? []).slice(0, 20)
  return [evidence.body ?? evidence.completion ?? '', ...outputs, ...details].join('\n')
}
