import type { IncomingMessage } from 'node:http'
import { LineCutter } from '#shared/journal/decode.ts'
import type { KubeClient } from '../client.ts'

export type LogRequest = {
  namespace: string
  pod: string
  container: string
  /** Of the container that ran before the present one. */
  previous?: boolean
  follow?: boolean
  since: string | null
  /** At most so many of the last lines; null for all that are kept. */
  tail: number | null
  signal: AbortSignal
}

const decoder = new TextDecoder()

/** @throws {AppError} where the API refuses or does not answer. */
export function openLog(client: KubeClient, request: LogRequest): Promise<IncomingMessage> {
  const { namespace, pod, container, previous, follow, since, tail, signal } = request
  const query = {
    container,
    timestamps: true,
    follow: follow || undefined,
    previous: previous || undefined,
    sinceTime: since ?? undefined,
    tailLines: tail ?? undefined,
  }
  return client.stream(`/api/v1/namespaces/${namespace}/pods/${pod}/log`, { query, signal })
}

/**
 * Whole lines as they come, several at once. A torn last line is given only where the stream ended by itself: after a cut it comes again,
 * whole. @throws what the stream ended with.
 */
export async function* rawLines(stream: IncomingMessage): AsyncGenerator<string[]> {
  const cutter = new LineCutter((bytes) => decoder.decode(bytes))
  for await (const chunk of stream) {
    const lines = cutter.push(chunk as Uint8Array)
    // Also with no line: bytes came.
    yield lines.map(({ text }) => text)
  }
  if (cutter.tornBytes > 0) yield cutter.push(Buffer.from('\n')).map(({ text }) => text)
}
