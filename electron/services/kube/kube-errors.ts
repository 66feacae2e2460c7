import { z } from 'zod'
import { AppError, type ErrorCode } from '#shared/base/errors.ts'

/** What a server answers instead of an object. */
const Status = z.object({
  kind: z.literal('Status'),
  message: z.string().optional(),
  reason: z.string().optional(),
  code: z.number().optional(),
})

const byCode: Record<number, ErrorCode> = {
  400: 'kube_invalid',
  401: 'kube_unauthorized',
  403: 'kube_forbidden',
  404: 'kube_not_found',
  409: 'kube_conflict',
  410: 'kube_gone',
  422: 'kube_invalid',
  429: 'unreachable',
}

/** A refusal in the server's own words. Its headers, which hold more than a person should see, stay out of them. */
export function refusal(what: string, code: number, body: string): AppError {
  const status = parseStatus(body)
  const said = status?.message ?? (body.trim() === '' ? `HTTP ${code}` : body.trim().slice(0, 300))
  const known = byCode[code] ?? (code >= 500 ? 'unreachable' : 'unresolved')
  return new AppError(known, `${what}: ${said.replace(/\.$/, '')}.`)
}

export const statusOf = (value: unknown): z.infer<typeof Status> | null => {
  const parsed = Status.safeParse(value)
  return parsed.success ? parsed.data : null
}

function parseStatus(body: string) {
  try {
    return statusOf(JSON.parse(body))
  } catch {
    return null
  }
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing listens at that address',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name could not be looked up',
  ETIMEDOUT: 'it did not answer in time',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no network to it',
}

/** A request that got no answer. A certificate that does not fit is no silence: something else answers there. */
export function noAnswer(server: string, failure: unknown): AppError {
  if (failure instanceof AppError) return failure
  const { code = '', name, message } = failure as { code?: string; name?: string; message?: string }
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/.test(code))
    return new AppError(
      'cluster_changed',
      `${server} shows a certificate that its authority did not sign (${code}).`,
      {
        cause: failure,
      },
    )
  const why =
    reasons[code] ??
    (name === 'TimeoutError' || name === 'AbortError' ? 'it did not answer in time' : (message ?? code))
  return new AppError('unreachable', `The cluster at ${server} does not answer: ${why}.`, { cause: failure })
}
