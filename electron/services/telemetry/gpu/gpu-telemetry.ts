import type { Disposable } from '#shared/base/disposable.ts'
import type { ConsoleRecord } from '#shared/journal/events.ts'
import { asDevices, type GpuSample } from '#shared/telemetry/gpu-samples.ts'
import type { Boxes } from '../../box/ssh/boxes.ts'
import { type GpuState, GpuWatch } from './gpu-watch.ts'

export type GpuTelemetryOptions = {
  boxes: Boxes
  now: () => Date
  /** Runs that go on there now: their records keep the samples. */
  runsOn: (box: string) => string[]
  /** Something about a box's GPUs is to be shown anew. */
  onAdvance: (box: string) => void
  record: (run: string, record: ConsoleRecord) => Promise<void>
}

/** Watches the GPUs of every box that was connected to, and writes what they say into the records of the runs there. */
export class GpuTelemetry implements Disposable {
  private readonly options: GpuTelemetryOptions
  private readonly watches = new Map<string, GpuWatch>()
  private readonly peaks = new Map<string, number>()
  private readonly stop: () => void

  constructor(options: GpuTelemetryOptions) {
    this.options = options
    this.stop = options.boxes.onDidChange(({ box }) => this.watch(box))
  }

  /** Null where the box was not connected to yet. */
  state(box: string): GpuState | null {
    return this.watches.get(box)?.state ?? null
  }

  dispose(): void {
    this.stop()
    for (const watch of this.watches.values()) watch.dispose()
    this.watches.clear()
  }

  private watch(box: string): void {
    const { boxes, now } = this.options
    if (!boxes.list().some((one) => one.id === box)) {
      this.watches.get(box)?.dispose()
      this.watches.delete(box)
      return
    }
    if (this.watches.has(box) || boxes.link(box).state.state !== 'ready') return
    const onSample = (sample: GpuSample) => this.keep(box, sample)
    const onState = () => this.options.onAdvance(box)
    this.watches.set(box, new GpuWatch({ link: boxes.link(box), now, onSample, onState }))
  }

  private keep(box: string, sample: GpuSample): void {
    for (const { uuid, usedBytes } of sample.gpus)
      if (usedBytes !== null) this.peaks.set(uuid, Math.max(usedBytes, this.peaks.get(uuid) ?? 0))
    const record: ConsoleRecord = { at: sample.at, type: 'memory', devices: asDevices(sample, this.peaks) }
    // A full disk loses a sample and nothing else; the store itself says that the disk is full.
    for (const run of this.options.runsOn(box)) void this.options.record(run, record).catch(() => undefined)
  }
}
