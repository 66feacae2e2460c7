/** Of a model's `config.json`, by its own names there. */
export type ModelShape = {
  layers: number
  hidden: number
  intermediate: number
  heads: number
  kvHeads: number
  headSize: number
  vocabulary: number
  tied: boolean
}

export type MemoryNeed = {
  promptTokens: number
  completionTokens: number
  /** Completions that are generated at the same time. */
  sequences: number
  /** Sequences in one forward and backward pass. */
  microBatch: number
}

export type MemoryEstimate = MemoryNeed & {
  parameters: number
  weightBytes: number
  /** Keys and values of all sequences at their full length. */
  cacheBytes: number
  /** The logits of one pass, kept for the backward one as well: with a large vocabulary the largest single piece. */
  logitBytes: number
  totalBytes: number
  boxBytes: number | null
  fits: boolean | null
}

const half = 2
const single = 4

/**
 * A lower bound, in bytes, of what the longest prompt needs: frozen weights and the cache at 16 bits, logits and their gradient at 32.
 * Activations, an adapter's own state and an allocator's losses come on top, so that what does not fit here fits nowhere.
 */
export function estimateMemory(model: ModelShape, need: MemoryNeed, boxBytes: number | null): MemoryEstimate {
  const tokens = need.promptTokens + need.completionTokens
  const attention = model.hidden * model.headSize * (2 * model.heads + 2 * model.kvHeads)
  const parameters =
    model.layers * (attention + 3 * model.hidden * model.intermediate) +
    (model.tied ? 1 : 2) * model.vocabulary * model.hidden
  const weightBytes = parameters * half
  const cacheBytes = need.sequences * tokens * model.layers * 2 * model.kvHeads * model.headSize * half
  const logitBytes = need.microBatch * tokens * model.vocabulary * single * 2
  // Generating and training take turns: the larger of the two stands beside the weights.
  const totalBytes = weightBytes + Math.max(cacheBytes, logitBytes)
  const fits = boxBytes === null ? null : totalBytes <= boxBytes
  return { ...need, parameters, weightBytes, cacheBytes, logitBytes, totalBytes, boxBytes, fits }
}
