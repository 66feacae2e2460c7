import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '#shared/base/errors.ts'
import { apiLimits, GradeRequest } from '#shared/domain/verifier.ts'
import type { VerifierService } from '../service/verifier-service.ts'
import { LineReply } from './reply.ts'
import { checkShape, readJson } from './request-body.ts'

/**
 * `POST /v1/grade`: one line an item, as each is done. Everything that can be wrong with a request is found before any of it is executed. A
 * client that goes away, or a deadline that passes, leaves what is running to be finished and saved, and what has not begun undone.
 */
export async function grade(
  service: VerifierService,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { run, items, deadlineMs } = checked(await readJson(request))
  const known = new Set(service.grader.tasks().map(({ id }) => id))
  const unknown = items.find(({ task }) => !known.has(task))
  if (unknown) throw new AppError('unknown_task', `The suite has no task ${unknown.task}.`)
  const graders = await service.grading.prepare(run, items)
  const reply = new LineReply(response)
  const { gaveUp, settled } = patience(response, service.signal, deadlineMs)
  await Promise.all(
    graders.map(async (gradeOne) => {
      const line = await gradeOne(gaveUp)
      service.tally.count(line)
      await reply.line(line)
    }),
  )
  settled()
  reply.end()
}

function checked(raw: unknown): GradeRequest {
  const count = (raw as { items?: unknown[] } | null)?.items?.length ?? 0
  if (count > apiLimits.batchItems) {
    throw new AppError(
      'too_large',
      `A request may hold ${apiLimits.batchItems} items; this one has ${count}.`,
    )
  }
  const request = checkShape(GradeRequest, raw)
  for (const { id, body, completion } of request.items) {
    const bytes = Buffer.byteLength(body ?? completion ?? '')
    if (bytes <= apiLimits.bodyBytes) continue
    throw new AppError(
      'too_large',
      `Item ${id} has ${bytes} bytes; at most ${apiLimits.bodyBytes} are graded.`,
    )
  }
  return request
}

/** Resolves `gaveUp` when nobody waits for answers any more. */
function patience(
  response: ServerResponse,
  ending: AbortSignal,
  deadlineMs: number | undefined,
): { gaveUp: Promise<void>; settled: () => void } {
  let giveUp = () => {}
  const gaveUp = new Promise<void>((resolve) => {
    giveUp = resolve
  })
  const timer = deadlineMs === undefined ? undefined : setTimeout(giveUp, Math.min(deadlineMs, 2 ** 31 - 1))
  response.once('close', giveUp)
  ending.addEventListener('abort', giveUp)
  const settled = () => {
    clearTimeout(timer)
    ending.removeEventListener('abort', giveUp)
    giveUp()
  }
  return { gaveUp, settled }
}
