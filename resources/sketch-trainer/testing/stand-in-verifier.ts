import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { GradeLine } from '#shared/domain/grade.ts'
import type { Case } from '#shared/domain/suite.ts'
import type { GradeItem, VerifierHealth } from '#shared/domain/verifier.ts'
import type { VerifierClient } from '../verifier-client.ts'
import { allPrograms, type KnownProgram } from './enumerate.ts'
import { score } from './score.ts'

export type StandInSuite = { name: string; version: string; sha256: string; cases: Case[] }

/** What a stand-in does wrong, changed while it runs. */
export type Faults = {
  /** Ids that get `unresolved` instead of a number. */
  unresolved: (id: string) => boolean
  /** Cuts the connection after this many lines of a reply. */
  cutAfter: number | null
  /** Whose grades these are said to be. */
  suiteSha256: string | null
}

/**
 * A verifier that answers at once, from a simulation of the programs that the policy can write. For tests of the trainer alone, where
 * faults must come at an exact moment and a hundred runs must fit into a minute; the real verifier is used end to end beside it.
 */
export class StandInVerifier {
  readonly faults: Faults = { unresolved: () => false, cutAfter: null, suiteSha256: null }
  /** Every id asked for, in order, repeats included. */
  readonly asked: string[] = []
  private readonly suite: StandInSuite
  private readonly programs = allPrograms()
  private readonly memo = new Map<string, Partial<GradeLine>>()
  private server: Server | null = null

  constructor(suite: StandInSuite) {
    this.suite = suite
  }

  /** @param port of an earlier start, to come back where it was. @returns its URL. */
  async start(port = 0): Promise<string> {
    const server = createServer((request, response) => {
      this.answer(request, response).catch(() => response.destroy())
    })
    this.server = server
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    const { server } = this
    this.server = null
    server?.closeAllConnections()
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()))
  }

  /** The same verifier without a network, for what has nothing to do with one. */
  inProcess(): Pick<VerifierClient, 'health' | 'tasks' | 'grade'> {
    return {
      health: async () => this.health(),
      tasks: async () => [task],
      grade: async (_run, items, onLines) => onLines(items.map((item) => this.grade(item))),
    }
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/v1/health') return void response.end(JSON.stringify(this.health()))
    if (request.url === '/v1/tasks') {
      const task = {
        id: 'required-capacity',
        prompt: '',
        signature: 'def required_capacity(bookings):',
        tests: [],
      }
      return void response.end(JSON.stringify({ tasks: [task] }))
    }
    let text = ''
    for await (const chunk of request) text += chunk
    const { items } = JSON.parse(text) as { items: GradeItem[] }
    this.asked.push(...items.map((item) => item.id))
    // Not in the order asked: a real verifier answers as each finishes.
    const lines = items.map((item) => JSON.stringify(this.grade(item))).reverse()
    const { cutAfter } = this.faults
    if (cutAfter === null) return void response.end(`${lines.join('\n')}\n`)
    response.write(`${lines.slice(0, cutAfter).join('\n')}\n`, () => response.destroy())
  }

  private grade(item: GradeItem): GradeLine {
    const base = { id: item.id, task: item.task, ...this.gradeCompletion(item.completion ?? '') } as GradeLine
    if (!this.faults.unresolved(item.id)) return base
    return {
      ...base,
      status: 'unresolved',
      reward: null,
      reason: 'stand_in_fault',
      passed: null,
      total: null,
    }
  }

  private gradeCompletion(completion: string): Partial<GradeLine> {
    const known = this.memo.get(completion) ?? this.score(completion)
    this.memo.set(completion, known)
    return { ...known, suite: this.identity() }
  }

  private score(completion: string): Partial<GradeLine> {
    const { outcome, fences, info, body } = extract(completion)
    const program: KnownProgram | undefined = body === null ? undefined : this.programs.get(body)
    const { cases } = this.suite
    const found = program
      ? score({ ...program.choices, fence: 'python' }, program.variant, cases)
      : { status: 'no_answer' as const, reason: outcome, passed: null }
    return {
      status: found.status,
      reward: (found.passed ?? 0) / cases.length,
      reason: found.reason,
      tests: [],
      total: found.passed === null ? null : cases.length,
      passed: found.passed,
      buildMs: 1,
      testMs: 1,
      queueMs: 0,
      cache: 'fresh',
      bodySha256: body === null ? null : createHash('sha256').update(body).digest('hex'),
      commit: null,
      verifier: 'stand-in',
      isolation: 'none',
      evidenceSha256: null,
      extraction: { outcome, fences, info },
    }
  }

  private identity() {
    const { name, version, sha256 } = this.suite
    return { name, version, sha256: this.faults.suiteSha256 ?? sha256 }
  }

  private health(): VerifierHealth {
    return {
      ready: true,
      version: 'stand-in',
      grader: 'python-function',
      isolation: 'none',
      isolationDetail: 'a simulation; nothing is executed',
      suite: this.identity(),
      commit: null,
      instance: randomUUID(),
      startedAt: new Date().toISOString(),
      workers: [],
      queue: 0,
      graded: 0,
      executed: 0,
      disk: { usedBytes: 0, limitBytes: null },
    }
  }
}

const task = { id: 'required-capacity', prompt: '', signature: 'def required_capacity(bookings):', tests: [] }

/** The body in a completion of this policy, or null. */
export const readBody = (completion: string): string | null => extract(completion).body

/** Extraction for the few shapes of Markdown that the policy writes; CommonMark itself is the real verifier's work. */
function extract(
  text: string,
): Pick<NonNullable<GradeLine['extraction']>, 'outcome' | 'fences' | 'info'> & { body: string | null } {
  const blocks = [...text.matchAll(/^(```|~~~)(.*)\n([\s\S]*?)^\1$/gm)]
  const marks = text.match(/^(```|~~~)/gm)?.length ?? 0
  const info = blocks[0]?.[2] ?? null
  if (marks === 1) return { outcome: 'unclosed', fences: 1, info: 'python', body: null }
  if (blocks.length !== 1) return { outcome: 'fence_count', fences: blocks.length, info, body: null }
  if (info === 'text') return { outcome: 'fence_language', fences: 1, info, body: null }
  return { outcome: 'body', fences: 1, info, body: blocks[0]?.[3] ?? null }
}
