import type { z } from 'zod'
import { AppError } from '#shared/base/errors.ts'

/** @throws AppError `bad_suite` naming `where` and the first field that does not fit. */
export function parseWith<T>(schema: z.ZodType<T>, text: string, where: string): T {
  let raw: unknown
  try {
    raw = JSON.parse(text)
  } catch {
    throw new AppError('bad_suite', `${where} is no JSON.`)
  }
  const parsed = schema.safeParse(raw)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new AppError(
    'bad_suite',
    `${where}: ${issue?.path.join('.') || 'it'} ${issue?.message ?? 'does not fit'}.`,
  )
}

/** One value a line; an empty last line is none. */
export function parseLines<T>(schema: z.ZodType<T>, bytes: Buffer, where: string): T[] {
  const lines = bytes.toString('utf8').split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line, index) => parseWith(schema, line, `${where} line ${index + 1}`))
}
