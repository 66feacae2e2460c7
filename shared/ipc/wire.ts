import { z } from 'zod'
import { errorCodes } from '../base/errors.ts'

/**
 * What a browser window and the browser shell say over the WebSocket at `bridgePath`: one JSON object a text message.
 *
 * The server greets first. The window numbers its requests from 1 upwards; a reply carries its request's number and may overtake others.
 * Events are numbered by the server per connection; they only say that something changed, so a slow window gets the latest of each kind
 * and `dropped` tells how many it did not get.
 */
export const wireVersion = 1
export const bridgePath = '/bridge'
/** Answers 204 while the window's cookie is valid, 401 after the shell was started anew. */
export const sessionPath = '/session'

/** Larger than any form or note (4,000 characters a note); a request is never bulk data. */
export const maxRequestBytes = 1 << 20

export const RequestFrame = z.strictObject({
  t: z.literal('request'),
  id: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
  name: z.string().max(100),
  input: z.unknown(),
})
export type RequestFrame = z.infer<typeof RequestFrame>

const ErrorInfo = z.object({
  code: z.enum(errorCodes),
  message: z.string(),
  hint: z.string(),
  retryable: z.boolean(),
})

export const ServerFrame = z.discriminatedUnion('t', [
  z.object({ t: z.literal('hello'), v: z.number().int(), server: z.string() }),
  z.object({
    t: z.literal('reply'),
    id: z.number().int(),
    result: z.discriminatedUnion('ok', [
      z.object({ ok: z.literal(true), value: z.unknown() }),
      z.object({ ok: z.literal(false), error: ErrorInfo }),
    ]),
  }),
  z.object({
    t: z.literal('event'),
    seq: z.number().int(),
    name: z.string(),
    payload: z.unknown(),
    dropped: z.number().int().optional(),
  }),
])
export type ServerFrame = z.infer<typeof ServerFrame>
