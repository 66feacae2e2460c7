import { z } from 'zod'
import { AppError } from '#shared/base/errors.ts'
import { GradeLine } from '#shared/domain/grade.ts'
import {
  ApiError,
  ControlsReport,
  type GradeItem,
  TaskListing,
  VerifierHealth,
} from '#shared/domain/verifier.ts'
import { LineCutter } from '#shared/journal/decode.ts'

const decoder = new TextDecoder()

/** Long enough for a busy machine, short enough that a dead verifier shows within a poll or two. */
const answerMs = 10_000

/** A verifier's HTTP API, every reply parsed. What it does not answer is `unreachable`; what it refuses keeps the verifier's own words. */
export class VerifierClient {
  readonly url: string
  private readonly token: string | null

  /** @param token sent with every call where the verifier was given one. */
  constructor(url: string, token: string | null = null) {
    this.url = url.replace(/\/$/, '')
    this.token = token
  }

  async health(limitMs = answerMs): Promise<VerifierHealth> {
    return this.json(VerifierHealth, '/v1/health', { signal: AbortSignal.timeout(limitMs) })
  }

  async tasks(): Promise<TaskListing[]> {
    const reply = await this.json(
      z.union([z.array(TaskListing), z.object({ tasks: z.array(TaskListing) })]),
      '/v1/tasks',
      { signal: AbortSignal.timeout(answerMs) },
    )
    return Array.isArray(reply) ? reply : reply.tasks
  }

  /** The grader's self-test, which executes every control: it takes as long as it takes. */
  async controls(task: string, signal?: AbortSignal): Promise<ControlsReport> {
    return this.json(ControlsReport, '/v1/controls', { ...post({ task }), ...(signal && { signal }) })
  }

  /** The bytes of one piece of evidence; null where the verifier does not have it. */
  async evidence(sha256: string): Promise<Uint8Array | null> {
    const reply = await this.call(`/v1/evidence/${sha256}`, { signal: AbortSignal.timeout(answerMs) })
    if (reply.status === 404) return null
    await refuse(reply)
    return new Uint8Array(await this.reading(reply.arrayBuffer()))
  }

  /** Grades as they finish, in no promised order. Ends with the stream; a cut stream throws `unreachable` after what came. */
  async *grade(
    request: { run: string; items: GradeItem[]; deadlineMs?: number },
    signal?: AbortSignal,
  ): AsyncGenerator<GradeLine> {
    const reply = await this.call('/v1/grade', { ...post(request), ...(signal && { signal }) })
    await refuse(reply)
    const cutter = new LineCutter((bytes) => decoder.decode(bytes))
    const reader = (reply.body as ReadableStream<Uint8Array> | null)?.getReader()
    for (;;) {
      const chunk = reader ? await this.reading(reader.read()) : undefined
      if (!chunk || chunk.done) break
      for (const line of cutter.push(chunk.value)) if (line.text.trim() !== '') yield parseLine(line.text)
    }
    if (cutter.tornBytes > 0) throw unreachable(this.url, 'the reply was cut inside a line')
  }

  private async json<T>(schema: z.ZodType<T>, path: string, init: RequestInit): Promise<T> {
    const reply = await this.call(path, init)
    await refuse(reply)
    const parsed = schema.safeParse(await this.reading(reply.json()))
    if (parsed.success) return parsed.data
    const issue = parsed.error.issues[0]
    throw new AppError(
      'unresolved',
      `The verifier at ${this.url} answered ${path} with ${issue?.path.join('.')}: ${issue?.message}.`,
    )
  }

  private async call(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers)
    if (this.token !== null) headers.set('authorization', `Bearer ${this.token}`)
    return this.reading(fetch(`${this.url}${path}`, { ...init, headers }))
  }

  private async reading<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (cause) {
      throw unreachable(this.url, plainCause(cause), cause)
    }
  }
}

const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const unreachable = (url: string, why: string, cause?: unknown) =>
  new AppError('unreachable', `The verifier at ${url} does not answer: ${why}.`, { cause })

/** `fetch failed` says nothing; the reason is in the cause. */
function plainCause(failure: unknown): string {
  const cause = failure instanceof Error ? (failure.cause ?? failure) : failure
  const code = (cause as { code?: unknown }).code
  if (typeof code === 'string') return code
  return cause instanceof Error ? cause.message : String(cause)
}

async function refuse(reply: Response): Promise<void> {
  if (reply.ok) return
  const text = await reply.text().catch(() => '')
  let error: z.infer<typeof ApiError> | null = null
  try {
    error = ApiError.parse(JSON.parse(text))
  } catch {
    // Not one of the API's own errors: something else answers at that address.
  }
  const message = error?.message ?? `HTTP ${reply.status} ${text.slice(0, 200)}`
  if (error?.code === 'unknown_task') throw new AppError('unknown_task', message)
  if (error?.code === 'id_conflict') throw new AppError('id_conflict', message)
  if (reply.status === 401 || reply.status === 403) throw new AppError('unauthorized', message)
  if (reply.status === 413) throw new AppError('too_large', message)
  throw new AppError(reply.status >= 500 ? 'unresolved' : 'bad_input', message)
}

function parseLine(text: string): GradeLine {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new AppError('unresolved', `A grade line is no JSON: ${text.slice(0, 200)}`, { cause })
  }
  const parsed = GradeLine.safeParse(value)
  if (parsed.success) return parsed.data
  const error = ApiError.safeParse(value)
  if (error.success) throw new AppError('unresolved', error.data.message)
  const issue = parsed.error.issues[0]
  throw new AppError('unresolved', `A grade line does not fit: ${issue?.path.join('.')}: ${issue?.message}.`)
}
