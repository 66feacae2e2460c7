import { z } from 'zod'
import type { ErrorInfo } from '../base/errors.ts'
import type { Box, BoxTest, HostKeyQuestion, LinkStateName } from '../domain/box.ts'
import type { GpuSample } from '../telemetry/gpu-samples.ts'

/** The part of the contract that is about boxes behind SSH and the shells on them. */
const terminalSide = z.number().int().min(1).max(1000)

export const boxInputs = {
  'boxes.list': z.object({}),
  'boxes.add': z.object({ target: z.string().min(1).max(300), name: z.string().max(80).optional() }),
  'boxes.remove': z.object({ box: z.string() }),
  /** From the name to what is on the box; may take as long as a connection does. */
  'boxes.test': z.object({ box: z.string() }),
  /** Trusts the key that the box's link asks about, if it still has this fingerprint. */
  'boxes.trust': z.object({ box: z.string(), fingerprint: z.string() }),
  /** Kept in memory only, for the key file that the box's link asks about. */
  'boxes.unlock': z.object({ box: z.string(), passphrase: z.string().max(4000) }),
  'shell.open': z.object({ box: z.string(), cols: terminalSide, rows: terminalSide }),
  'shell.write': z.object({ shell: z.string(), text: z.string().max(1 << 20) }),
  'shell.resize': z.object({ shell: z.string(), cols: terminalSide, rows: terminalSide }),
  /** Everything that came since the last call; asked for when `shell.advanced` says so. */
  'shell.read': z.object({ shell: z.string() }),
  'shell.close': z.object({ shell: z.string() }),
} as const

/** A box and its link, as of now. */
export type BoxView = Box & {
  state: LinkStateName
  since: string
  /** What is being done, while connecting. */
  step: string | null
  error: ErrorInfo | null
  hostKey: HostKeyQuestion | null
  /** Key file whose passphrase is wanted. */
  passphraseFor: string | null
  nextTryAt: string | null
  lastHeardAt: string | null
  /** How often a connection was made. */
  connects: number
  /** Runs that hold something there. */
  runs: string[]
  /** Null before the first connection. `detail` says why there is no sample, where there is none. */
  gpu: {
    state: 'waiting' | 'live' | 'none' | 'fault' | 'silent'
    detail: string
    sample: GpuSample | null
  } | null
}

export type BoxOutputs = {
  'boxes.list': BoxView[]
  'boxes.add': BoxView
  'boxes.remove': { removed: true }
  'boxes.test': BoxTest
  'boxes.trust': BoxView
  'boxes.unlock': BoxView
  'shell.open': { shell: string }
  'shell.write': { done: true }
  'shell.resize': { done: true }
  /** `ended` says why the shell is over, once all that it wrote was read; `broken` where that is because the link went. */
  'shell.read': { bytesBase64: string; ended: string | null; broken: boolean }
  'shell.close': { done: true }
}
