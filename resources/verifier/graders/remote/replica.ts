import { AppError, toAppError } from '#shared/base/errors.ts'
import { GradeLine } from '#shared/domain/grade.ts'
import { ApiError, Evidence, VerifierHealth } from '#shared/domain/verifier.ts'
import type { Backend } from './backends.ts'

/** What every replica of a run's verifier must say of itself. */
export type Expected = { suiteSha256: string; commit: string | null }

const healthMs = 5_000
/** A replica that says nothing is given up after this many looks: its bodies in hand go to others. */
const lostAfter = 3

/** One verifier behind an address: whether it may be used, what it has in hand, what it was asked. */
export class Replica {
  readonly backend: Backend
  private readonly expected: Expected
  health: VerifierHealth | null = null
  /** Null while it may be used; else why not. */
  problem: string | null = 'it was not reached yet'
  drifted = false
  inHand = 0
  graded = 0
  private misses = 0
  private lost = new AbortController()

  constructor(backend: Backend, expected: Expected) {
    this.backend = backend
    this.expected = expected
  }

  get usable(): boolean {
    return this.problem === null
  }

  get capacity(): number {
    return Math.max(1, this.health?.workers.length ?? 1)
  }

  /** Asks what it is, and judges whether that is what the run is pinned to. Never throws. */
  async look(signal: AbortSignal): Promise<void> {
    try {
      const reply = await this.call('/v1/health', {
        signal: AbortSignal.any([signal, AbortSignal.timeout(healthMs)]),
      })
      this.judge(VerifierHealth.parse(await reply.json()))
      this.misses = 0
      if (this.lost.signal.aborted) this.lost = new AbortController()
    } catch (failure) {
      if (signal.aborted) return
      this.misses += 1
      this.problem = reasonOf(failure)
      if (this.misses >= lostAfter) this.giveUp()
    }
  }

  /** Ends what waits for it: it is gone, or as good as. */
  giveUp(): void {
    this.lost.abort(new AppError('unreachable', `Verifier ${this.backend.id} was lost.`))
  }

  private judge(health: VerifierHealth): void {
    this.health = health
    const { suiteSha256, commit } = this.expected
    this.drifted = true
    if (health.suite.sha256 !== suiteSha256)
      this.problem = `it grades suite ${health.suite.name} ${health.suite.version} (${health.suite.sha256.slice(0, 12)}), not the run’s (${suiteSha256.slice(0, 12)})`
    else if (commit !== null && health.commit !== commit)
      this.problem = `it says commit ${health.commit?.slice(0, 12) ?? 'none'}; the run is pinned to ${commit.slice(0, 12)}`
    else {
      this.drifted = false
      this.problem = health.ready ? null : 'it is starting'
    }
  }

  /**
   * Grades one body there. The same id again is answered from what it finished before.
   * @returns the line, and the evidence behind it where that could still be had.
   * @throws {AppError} `unreachable` where it gave no answer.
   */
  async grade(
    request: { run: string; id: string; task: string; body: string },
    signal: AbortSignal,
  ): Promise<{ line: GradeLine; evidence: Evidence | null }> {
    this.inHand += 1
    try {
      const { run, ...item } = request
      const until = AbortSignal.any([signal, this.lost.signal])
      const reply = await this.call('/v1/grade', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ run, items: [item] }),
        signal: until,
      })
      const line = parseLine(await reply.text())
      const evidence = line.evidenceSha256 === null ? null : await this.evidence(line.evidenceSha256, until)
      this.graded += 1
      return { line, evidence }
    } catch (failure) {
      throw failure instanceof AppError
        ? failure
        : new AppError('unreachable', reasonOf(failure), { cause: failure })
    } finally {
      this.inHand -= 1
    }
  }

  /** What it wrote besides its grade; a replica that goes just then takes nothing of the grade with it. */
  private async evidence(sha256: string, signal: AbortSignal): Promise<Evidence | null> {
    try {
      const reply = await this.call(`/v1/evidence/${sha256}`, { signal })
      return Evidence.parse(await reply.json())
    } catch {
      return null
    }
  }

  async call(path: string, init: RequestInit): Promise<Response> {
    const { url, token } = this.backend
    const headers = new Headers(init.headers)
    if (token !== null) headers.set('authorization', `Bearer ${token}`)
    const reply = await fetch(`${url.replace(/\/$/, '')}${path}`, { ...init, headers })
    if (reply.ok) return reply
    const error = ApiError.safeParse(await reply.json().catch(() => null))
    const said = error.success ? `${error.data.message} (${error.data.code})` : `HTTP ${reply.status}`
    throw new AppError(
      reply.status >= 500 ? 'unreachable' : 'unresolved',
      `Verifier ${this.backend.id}: ${said}`,
    )
  }
}

function parseLine(text: string): GradeLine {
  const line = text.trim()
  // A reply that was cut has no line, or half of one.
  if (line === '') throw new AppError('unreachable', 'the reply was cut before the grade came')
  try {
    return GradeLine.parse(JSON.parse(line))
  } catch (cause) {
    throw new AppError('unreachable', 'the reply was cut inside the grade', { cause })
  }
}

function reasonOf(failure: unknown): string {
  if (failure instanceof AppError) return failure.message.replace(/\.$/, '')
  const { name, cause } = failure as { name?: string; cause?: { code?: string; message?: string } }
  if (name === 'TimeoutError') return `it did not answer for ${healthMs / 1000} s`
  return cause?.code ?? cause?.message ?? toAppError(failure).message
}
