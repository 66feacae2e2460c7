/** Log-probabilities of a softmax over `logits`, shifted by the largest so that none overflows. */
export function logSoftmax(logits: readonly number[]): number[] {
  const top = Math.max(...logits)
  const logSum = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - top), 0))
  return logits.map((logit) => logit - top - logSum)
}

/** Shannon entropy in nats, −Σ p ln p; an impossible option (log-probability −∞) adds 0. */
export const entropy = (logProbs: readonly number[]): number =>
  logProbs.reduce((sum, logProb) => (logProb === -Infinity ? sum : sum - Math.exp(logProb) * logProb), 0)
