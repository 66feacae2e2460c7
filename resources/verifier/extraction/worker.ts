import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { SuiteManifest } from '#shared/domain/suite.ts'
import { type Extracted, extract } from './extract.ts'

const mark = 'ringside-extraction'
/** Below this a completion is parsed in at most some tens of milliseconds, in place. */
const smallChars = 8 * 1024
/** A parse of the largest completion takes seconds at worst; what takes longer was made to. */
const limitMs = 30_000

type Work = { mark: typeof mark; completion: string; language: SuiteManifest['language'] }

/** In the bundle this module and the entry are one file, which therefore asks this first; from source it starts itself. */
export const isExtractionWorker = () => !isMainThread && (workerData as Partial<Work> | null)?.mark === mark

export function runExtractionWorker(): void {
  const { completion, language } = workerData as Work
  parentPort?.postMessage(extract(completion, language))
}

if (import.meta.filename.endsWith('.ts') && isExtractionWorker()) runExtractionWorker()

/**
 * Extracts without holding up the service: a large completion is parsed in a thread of its own, under a time limit. What cannot be parsed
 * within it has no one block that could be taken.
 */
export function extractAside(completion: string, language: SuiteManifest['language']): Promise<Extracted> {
  if (completion.length <= smallChars) return Promise.resolve(extract(completion, language))
  return new Promise((settle) => {
    const unparsed: Extracted = {
      extraction: { outcome: 'fence_count', fences: 0, info: null },
      body: null,
    }
    const work: Work = { mark, completion, language }
    const worker = new Worker(import.meta.filename, { workerData: work })
    const end = (found: Extracted) => {
      clearTimeout(timer)
      settle(found)
      void worker.terminate()
    }
    const timer = setTimeout(() => end(unparsed), limitMs)
    worker.once('message', end)
    // Parsing ran out of stack or memory: nesting made for it.
    worker.once('error', () => end(unparsed))
  })
}
