import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { AppError } from '#shared/base/errors.ts'
import { apiLimits } from '#shared/domain/verifier.ts'

/** @throws AppError `too_large`, or `bad_input` for what is no UTF-8 or no JSON. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > apiLimits.requestBytes) throw tooLarge()
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    size += (part as Buffer).length
    if (size > apiLimits.requestBytes) throw tooLarge()
    parts.push(part as Buffer)
  }
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts))
  } catch {
    throw new AppError('bad_input', 'The request is not UTF-8.')
  }
  try {
    return JSON.parse(text)
  } catch (failure) {
    throw new AppError('bad_input', `The request is no JSON: ${(failure as Error).message}.`)
  }
}

/** @throws AppError `bad_input` naming the first field that does not fit. */
export function checkShape<T>(schema: z.ZodType<T>, raw: unknown): T {
  const result = schema.safeParse(raw)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const where = issue?.path.join('.') || 'the request'
  throw new AppError('bad_input', `${where}: ${issue?.message ?? 'does not fit'}.`)
}

const tooLarge = () =>
  new AppError('too_large', `A request may hold ${apiLimits.requestBytes} bytes; send fewer items at once.`)
