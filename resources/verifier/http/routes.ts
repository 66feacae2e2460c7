import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import { AppError } from '#shared/base/errors.ts'
import { Sha256 } from '#shared/base/ids.ts'
import { runControls } from '../service/controls.ts'
import type { VerifierService } from '../service/verifier-service.ts'
import { grade } from './grade-route.ts'
import { LineReply, replyJson, replyText } from './reply.ts'
import { checkShape, readJson } from './request-body.ts'

type Call = {
  service: VerifierService
  request: IncomingMessage
  response: ServerResponse
  url: URL
}
type Route = (call: Call) => Promise<void> | void

const routes: Record<string, Route> = {
  'GET /v1/health': ({ service, response }) => replyJson(response, service.health()),
  'GET /v1/ready': ({ service, response }) => {
    const { ready } = service.health()
    replyJson(response, { ready }, ready ? 200 : 503)
  },
  'GET /v1/tasks': ({ service, response }) => replyJson(response, { tasks: service.grader.tasks() }),
  'POST /v1/grade': ({ service, request, response }) => grade(service, request, response),
  'GET /v1/grades': savedGrades,
  'GET /v1/controls': ({ service, response, url }) =>
    controls(service, response, url.searchParams.get('task') ?? undefined),
  'POST /v1/controls': async ({ service, request, response }) => {
    const { task } = checkShape(ControlsRequest, await readJson(request))
    await controls(service, response, task)
  },
  'POST /v1/warm': warm,
  'GET /metrics': ({ service, response }) => {
    const { tally, pool, book } = service
    const stats = service.grader.stats?.() ?? null
    const text = tally.prometheus(pool.state(), pool.queued, book.evidence.usedBytes, stats)
    replyText(response, text, 'text/plain; version=0.0.4')
  },
}

const ControlsRequest = z.object({ task: z.string().optional() })

/** @throws AppError for every request that is not answered. */
export async function route(
  service: VerifierService,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://verifier')
  const call = { service, request, response, url }
  const found = routes[`${request.method} ${url.pathname}`]
  if (found) return found(call)
  const evidence = /^\/v1\/evidence\/([^/]+)$/.exec(url.pathname)?.[1]
  if (evidence !== undefined && request.method === 'GET') return evidenceOf(call, evidence)
  throw new AppError('not_found', `There is no ${request.method} ${url.pathname}.`, {
    hint: 'The calls are health, tasks, grade, grades, evidence/<sha256>, controls and warm under /v1, and /metrics.',
  })
}

async function evidenceOf({ service, response }: Call, sha256: string): Promise<void> {
  const bytes = Sha256.safeParse(sha256).success ? await service.book.evidence.bytesOf(sha256) : null
  if (bytes === null) throw new AppError('not_found', `There is no evidence ${sha256}.`)
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
  response.end(bytes)
}

async function savedGrades({ service, response, url }: Call): Promise<void> {
  const run = url.searchParams.get('run')
  if (run === null) throw new AppError('bad_input', 'Name the run: /v1/grades?run=RUN.')
  const reply = new LineReply(response)
  for await (const line of service.grading.saved(run)) await reply.line(line)
  reply.end()
}

async function controls(
  service: VerifierService,
  response: ServerResponse,
  task: string | undefined,
): Promise<void> {
  const all = service.grader.tasks().map(({ id }) => id)
  if (task !== undefined && !all.includes(task)) {
    throw new AppError('unknown_task', `The suite has no task ${task}.`)
  }
  const tasks = task === undefined ? all : [task]
  replyJson(response, await runControls(service.grader, service.pool, tasks, service.signal))
}

async function warm({ service, response }: Call): Promise<void> {
  const reply = new LineReply(response)
  await service.warm((line) => void reply.line(line))
  reply.end()
}
