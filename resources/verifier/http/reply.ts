import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AppError, type ErrorCode, toAppError } from '#shared/base/errors.ts'

export function replyJson(response: ServerResponse, value: unknown, status = 200): void {
  replyText(response, `${JSON.stringify(value)}\n`, 'application/json', status)
}

export function replyText(response: ServerResponse, text: string, type: string, status = 200): void {
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8` })
  response.end(text)
}

/** Lines of JSON as they come. The headers go out at once, so that a client knows that it was understood. */
export class LineReply {
  private readonly response: ServerResponse

  constructor(response: ServerResponse) {
    this.response = response
    response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' })
    response.flushHeaders()
  }

  /** Waits where the client reads more slowly than lines are made; a client that left is nobody to wait for. */
  async line(value: unknown): Promise<void> {
    const { response } = this
    if (response.destroyed || response.write(`${JSON.stringify(value)}\n`)) return
    const left = new AbortController()
    response.once('close', () => left.abort())
    await once(response, 'drain', { signal: left.signal }).catch(() => undefined)
  }

  end(): void {
    this.response.end()
  }
}

const statusOf: Partial<Record<ErrorCode, number>> = {
  bad_input: 400,
  too_large: 413,
  id_conflict: 409,
  unknown_task: 404,
  not_found: 404,
  unauthorized: 401,
  unreachable: 503,
  disk_full: 507,
}

/** `{code, message, retryable, hint}` with the code's HTTP status; what is no `AppError` is a fault of ours and says no more than that. */
export function replyError(response: ServerResponse, thrown: unknown, status?: number): AppError {
  const error = toAppError(thrown)
  if (response.headersSent) {
    response.destroy()
    return error
  }
  const { code, hint, retryable } = error
  const message = code === 'internal' ? 'The verifier failed at this; its log says more.' : error.message
  response.setHeader('connection', 'close')
  replyJson(response, { code, message, retryable, hint }, status ?? statusOf[code] ?? 500)
  return error
}
