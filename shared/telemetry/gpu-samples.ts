import { type GpuFault, type GpuProcess, type GpuReading, readGpuLine } from './nvidia-smi.ts'
import { readRocm } from './rocm-smi.ts'

/** All GPUs of a box at one moment, and the processes last seen on them. */
export type GpuSample = {
  at: string
  gpus: GpuReading[]
  /** Null until the tool told any: a container hides them, which is not the same as none. */
  processes: GpuProcess[] | null
}

/**
 * Puts the rows of a long-lived query together into samples. A sample is whole when as many GPUs came as in the one before, or when an index comes
 * again; a row of a GPU that fell off the bus meanwhile is not waited for.
 */
export class GpuSamples {
  private readonly now: () => string
  private readonly onSample: (sample: GpuSample) => void
  private readonly onFault: (fault: GpuFault) => void
  private rest = ''
  private rows: GpuReading[] = []
  private expected = 0
  private processes: GpuProcess[] | null = null
  private fresh: GpuProcess[] = []
  private shown = false

  constructor(now: () => string, onSample: (sample: GpuSample) => void, onFault: (fault: GpuFault) => void) {
    this.now = now
    this.onSample = onSample
    this.onFault = onFault
  }

  /** Text as it comes, cut anywhere. */
  push(text: string): void {
    const lines = (this.rest + text).split('\n')
    this.rest = lines.pop() ?? ''
    for (const line of lines) this.take(line)
  }

  /** To be called when nothing more came for a moment: until the first repetition nobody knows how many GPUs there are. */
  settle(): void {
    if (this.expected > 0 || this.rows.length === 0 || this.shown) return
    this.shown = true
    this.tell()
  }

  private take(line: string): void {
    // The list of processes ends with a row of its own, so that an empty list is told apart from none.
    if (line.trim() === 'end') {
      this.processes = this.fresh
      this.fresh = []
      return
    }
    if (line.startsWith('amd ')) {
      this.takeRocm(line.slice(4))
      return
    }
    const read = readGpuLine(line)
    if (read.kind === 'fault') this.onFault(read.fault)
    else if (read.kind === 'process') this.fresh.push(read.process)
    else if (read.kind === 'gpu') this.add(read.reading)
  }

  /** One line is all cards at one moment. */
  private takeRocm(json: string): void {
    const readings = readRocm(json)
    if (readings === null) {
      this.onFault({ kind: 'driver', text: json.trim() || 'rocm-smi says nothing' })
      return
    }
    this.rows = readings
    this.finish()
  }

  private add(reading: GpuReading): void {
    if (this.rows.some((row) => row.index === reading.index)) this.finish()
    this.rows.push(reading)
    if (this.rows.length === this.expected) this.finish()
  }

  private finish(): void {
    this.expected = this.rows.length
    if (!this.shown) this.tell()
    this.shown = false
    this.rows = []
  }

  private tell(): void {
    this.onSample({ at: this.now(), gpus: [...this.rows], processes: this.processes })
  }
}

/** As the live view draws it. Peak is of the samples since the watch began, by GPU; the caller keeps it. */
export function asDevices(sample: GpuSample, peaks: ReadonlyMap<string, number>) {
  return sample.gpus.map((gpu) => ({
    name: `GPU ${gpu.index} ${gpu.name}${gpu.mig ? ' (MIG)' : ''}`,
    usedBytes: gpu.usedBytes,
    totalBytes: gpu.totalBytes,
    reservedBytes: gpu.reservedBytes,
    peakBytes: peaks.get(gpu.uuid) ?? gpu.usedBytes,
    utilisation: gpu.utilisation,
    temperatureC: gpu.temperatureC,
    powerW: gpu.powerW,
  }))
}
