import { z } from 'zod'

const base32 = 'abcdefghijklmnopqrstuvwxyz234567'

export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits')
export const RunId = z.string().regex(/^r-\d{8}-[a-z2-7]{6}$/, 'must look like r-20261129-7k2m4q')
/** `<run>/<step>/<group>/<index>` in training, `<run>/eval/<policy>/<task>/<draw>` in an evaluation. */
export const RolloutId = z
  .string()
  .regex(/^r-\d{8}-[a-z2-7]{6}\/(\d+\/\d+\/\d+|eval\/[^/]+\/[^/]+\/\d+)$/, 'is no rollout id')
export const Timestamp = z.iso.datetime()

export type RunId = z.infer<typeof RunId>
export type RolloutId = z.infer<typeof RolloutId>

/** @param now the current time. @param random six numbers in [0, 1). */
export function newRunId(now: Date, random: () => number): RunId {
  const day = now.toISOString().slice(0, 10).replaceAll('-', '')
  const tail = Array.from({ length: 6 }, () => base32[Math.floor(random() * 32)]).join('')
  return `r-${day}-${tail}`
}

export const rolloutId = (run: RunId, step: number, group: number, index: number): RolloutId =>
  `${run}/${step}/${group}/${index}`

export const evalRolloutId = (run: RunId, policy: string, task: string, draw: number): RolloutId =>
  `${run}/eval/${policy}/${task}/${draw}`
