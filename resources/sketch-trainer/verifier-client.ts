import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { AppError } from '#shared/base/errors.ts'
import { GradeLine } from '#shared/domain/grade.ts'
import { ApiError, type GradeItem, TaskListing, VerifierHealth } from '#shared/domain/verifier.ts'
import { LineCutter } from '#shared/journal/decode.ts'

const TaskList = z.object({ tasks: z.array(TaskListing) })
const UrlFile = z.object({ url: z.url() })

/** A call to `/v1/health` or `/v1/tasks` is answered from memory; one that takes longer hangs. */
const askTimeoutMs = 10_000
/**
 * How long a grading may say nothing before its connection is given up. Long enough for a batch of endless programs on a slow laptop; giving up
 * too early costs nothing but a repeated request, since the verifier replays what it has.
 */
const silenceTimeoutMs = 120_000

/** Speaks the verifier's HTTP API, version 1. Every failure is an `AppError`, `unreachable` wherever no verifier answered. */
export class VerifierClient {
  private readonly url: string
  private readonly urlFile: string | null
  private readonly token: string | null

  /**
   * @param urlFile holds `{url}` and is read again at every call: a verifier that was started again may have another port.
   * @param token sent with every call where the verifier was given one.
   */
  constructor(url: string, urlFile: string | null, token: string | null = null) {
    this.url = url
    this.urlFile = urlFile
    this.token = token
  }

  async health(signal: AbortSignal): Promise<VerifierHealth> {
    return this.ask('/v1/health', VerifierHealth, signal)
  }

  async tasks(signal: AbortSignal): Promise<TaskListing[]> {
    return (await this.ask('/v1/tasks', TaskList, signal)).tasks
  }

  /** Grades `items`, calling `onLines` with each line as it comes. Resolves when the reply ends; then some items may still have none. */
  async grade(
    run: string,
    items: GradeItem[],
    onLines: (lines: GradeLine[]) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const silence = new AbortController()
    let timer = setTimeout(() => silence.abort(), silenceTimeoutMs)
    try {
      const response = await this.call('/v1/grade', AbortSignal.any([signal, silence.signal]), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ run, items }),
      })
      const decoder = new TextDecoder()
      const cutter = new LineCutter((bytes) => decoder.decode(bytes))
      for await (const chunk of response.body ?? []) {
        clearTimeout(timer)
        timer = setTimeout(() => silence.abort(), silenceTimeoutMs)
        const lines = cutter.push(chunk).map((line) => line.text)
        onLines(lines.filter((line) => line !== '').map((line) => parseReply(line, GradeLine)))
      }
    } catch (failure) {
      throw asUnreachable(failure, silence.signal.aborted)
    } finally {
      clearTimeout(timer)
    }
  }

  private async ask<T>(path: string, schema: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    try {
      const response = await this.call(path, AbortSignal.any([signal, AbortSignal.timeout(askTimeoutMs)]), {})
      return parseReply(await response.text(), schema)
    } catch (failure) {
      throw asUnreachable(failure, false)
    }
  }

  private async call(path: string, signal: AbortSignal, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers)
    if (this.token !== null) headers.set('authorization', `Bearer ${this.token}`)
    const response = await fetch(new URL(path, this.currentUrl()), { ...init, headers, signal })
    if (response.ok) return response
    const error = ApiError.safeParse(await response.json().catch(() => null))
    throw new AppError(
      'unreachable',
      error.success
        ? `The verifier refused ${path}: ${error.data.message} (${error.data.code}).`
        : `The verifier answered ${path} with HTTP ${response.status}.`,
    )
  }

  private currentUrl(): string {
    if (this.urlFile === null) return this.url
    try {
      return UrlFile.parse(JSON.parse(readFileSync(this.urlFile, 'utf8'))).url
    } catch {
      return this.url
    }
  }
}

function parseReply<T>(text: string, schema: z.ZodType<T>): T {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new AppError('unreachable', 'The verifier’s reply is no JSON.')
  }
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new AppError(
    'unreachable',
    `The verifier’s reply does not fit: ${issue?.path.join('.')} ${issue?.message}.`,
  )
}

function asUnreachable(failure: unknown, silent: boolean): AppError {
  if (silent)
    return new AppError('unreachable', `The verifier said nothing for ${silenceTimeoutMs / 1000} s.`)
  if (failure instanceof AppError) return failure
  const cause = (failure as { cause?: { code?: string } }).cause?.code
  if ((failure as Error).name === 'TimeoutError')
    return new AppError('unreachable', `The verifier said nothing for ${askTimeoutMs / 1000} s.`)
  return new AppError('unreachable', `The verifier cannot be reached${cause ? ` (${cause})` : ''}.`, {
    cause: failure,
  })
}
