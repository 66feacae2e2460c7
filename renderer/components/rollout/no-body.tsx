import type { Extraction } from '#shared/domain/grade.ts'
import type { RolloutDetail } from '#shared/ipc/contract.ts'
import { CodeView } from '../code/code-view.tsx'

/** Where no body could be taken: why, and the completion it should have been in. */
export function NoBody({ detail }: { detail: RolloutDetail }) {
  return (
    <section className="panel body-pane" aria-label="Completion without a body">
      <div className="pane-bar">
        <h2>No body</h2>
        <span className="dim">{explainExtraction(detail.extraction)}</span>
      </div>
      {detail.completion === null ? (
        <p className="pane-note dim">
          The completion is not here: it was not kept, or has not been fetched yet.
        </p>
      ) : (
        <CodeView text={detail.completion} language="text" label="completion" />
      )}
    </section>
  )
}

/** How the body was taken from the completion, in words. */
export function explainExtraction(extraction: Extraction | null): string {
  if (extraction === null) return 'extraction not recorded'
  const { outcome, fences, info } = extraction
  switch (outcome) {
    case 'body':
      return `one fenced block, ${info ? `marked ${info}` : 'unmarked'}`
    case 'fence_count':
      return fences === 0
        ? 'no fenced block; exactly one is wanted'
        : `${fences} fenced blocks; exactly one is wanted`
    case 'fence_language':
      return `the fenced block is marked ${info ?? 'nothing'}, another language than the suite’s`
    case 'unclosed':
      return 'the fenced block is never closed'
  }
}
