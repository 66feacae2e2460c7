import type { SshLink } from '../../box/ssh/link.ts'
import { type Finding, failed, passed, warned } from '../../runs/preflight/checks.ts'
import { type GpuState, GpuWatch } from './gpu-watch.ts'

/** A driver in trouble hangs; longer than this no launch should wait for it. */
const patienceMs = 15_000
const gib = 1024 ** 3
/** With less than this share of a GPU free, something else is at work there. */
const wantedShare = 0.5

/** What GPUs a box has free right now. @param needed whether the run trains on them. */
export async function lookAtGpus(link: SshLink, needed: boolean): Promise<Finding> {
  const state = await new Promise<GpuState>((resolve) => {
    const watch = new GpuWatch({
      link,
      now: () => new Date(),
      silentMs: patienceMs,
      onState: (told) => {
        watch.dispose()
        resolve(told)
      },
    })
  })
  return judge(state, needed)
}

function judge({ state, detail, sample }: GpuState, needed: boolean): Finding {
  if (sample === null || state !== 'live') {
    if (needed) return failed(detail, 'The trainer needs a GPU there: look at the driver with nvidia-smi.')
    return state === 'none'
      ? passed(`${detail}; the embedded trainer needs none`)
      : warned(detail, 'The embedded trainer needs no GPU; another would.')
  }
  const free = sample.gpus.map(({ index, name, usedBytes, reservedBytes, totalBytes }) => {
    if (usedBytes === null || totalBytes === null)
      return { text: `GPU ${index} ${name}: free memory is not told`, short: null }
    // Old drivers do not tell what they reserve; it is some hundred MiB of what they call free.
    const bytes = totalBytes - usedBytes - (reservedBytes ?? 0)
    return {
      text: `GPU ${index} ${name}: ${amount(bytes)} of ${amount(totalBytes)} GiB free`,
      short: bytes < wantedShare * totalBytes,
    }
  })
  const text = free.map((one) => one.text).join('; ')
  if (free.every((one) => one.short === false)) return passed(text)
  if (!free.some((one) => one.short))
    return warned(text, 'Look on the box what is free there: its driver does not tell.')
  return warned(text, 'Something else uses that GPU: see who with nvidia-smi, or choose another box.')
}

const amount = (bytes: number) => (bytes / gib).toFixed(1)
