/** One GPU at one moment, as its driver says it; what the driver does not say is null. */
export type GpuReading = {
  index: number
  uuid: string
  name: string
  /** Divided into instances (MIG): its memory is shared out, and its utilisation is not told. */
  mig: boolean
  usedBytes: number | null
  /** Held back by driver and firmware. */
  reservedBytes: number | null
  totalBytes: number | null
  /** Share of the last sample period in which a kernel ran, 0 to 1. */
  utilisation: number | null
  temperatureC: number | null
  powerW: number | null
}

/** A process that holds memory of a GPU; a container shows none or shows them without a name. */
export type GpuProcess = { uuid: string; pid: number; name: string; usedBytes: number | null }

export type GpuFault =
  | { kind: 'no_tool'; text: string }
  | { kind: 'no_gpu'; text: string }
  | { kind: 'driver'; text: string }
  /** This driver does not know a field that was asked for. */
  | { kind: 'field'; text: string }

export type GpuLine =
  | { kind: 'gpu'; reading: GpuReading }
  | { kind: 'process'; process: GpuProcess }
  | { kind: 'fault'; fault: GpuFault }
  | { kind: 'other'; text: string }

/** Asked for in this order, without headings and units; memory in MiB. */
export const gpuFields = [
  'index',
  'uuid',
  'name',
  'mig.mode.current',
  'memory.used',
  'memory.reserved',
  'memory.total',
  'utilization.gpu',
  'temperature.gpu',
  'power.draw',
] as const

export const processFields = ['gpu_uuid', 'pid', 'process_name', 'used_memory'] as const

const mib = 1024 ** 2

/** Reads one line of the query's output: `gpu …` and `app …` are rows of the two tables, all else is what the tool says when it cannot. */
export function readGpuLine(line: string): GpuLine {
  const text = line.trim()
  const fault = faultOf(text)
  if (fault) return { kind: 'fault', fault }
  const row = text
    .slice(4)
    .split(',')
    .map((cell) => cell.trim())
  if (text.startsWith('gpu ') && row.length >= gpuFields.length) return readGpu(row)
  if (text.startsWith('app ') && row.length >= processFields.length) return readProcess(row)
  return { kind: 'other', text }
}

function readGpu(row: string[]): GpuLine {
  const [index = '', uuid = '', name = '', mig = '', used, reserved, total, busy, heat, power] = row
  if (!/^\d+$/.test(index)) return { kind: 'other', text: row.join(', ') }
  return {
    kind: 'gpu',
    reading: {
      index: Number(index),
      uuid,
      name,
      mig: mig === 'Enabled',
      usedBytes: scaled(used, mib),
      reservedBytes: scaled(reserved, mib),
      totalBytes: scaled(total, mib),
      utilisation: scaled(busy, 0.01),
      temperatureC: scaled(heat, 1),
      powerW: scaled(power, 1),
    },
  }
}

function readProcess(row: string[]): GpuLine {
  const uuid = row[0] ?? ''
  const pid = Number(row[1])
  if (!Number.isInteger(pid)) return { kind: 'other', text: row.join(', ') }
  // A name may hold commas: it is what lies between the second cell and the last.
  const name = row.slice(2, -1).join(', ')
  return { kind: 'process', process: { uuid, pid, name, usedBytes: scaled(row.at(-1), mib) } }
}

/** `[N/A]`, `[Not Supported]`, `[Unknown Error]`, `[Insufficient Permissions]` and whatever else is no number are unknown, never 0. */
function scaled(text: string | undefined, unit: number): number | null {
  const number = /^-?\d+(\.\d+)?$/.test(text ?? '') ? Number(text) : null
  return number === null ? null : number * unit
}

function faultOf(text: string): GpuFault | null {
  if (/not found|No such file/i.test(text) && /nvidia-smi/.test(text))
    return { kind: 'no_tool', text: 'there is no nvidia-smi' }
  if (/No devices were found/i.test(text)) return { kind: 'no_gpu', text: 'the driver finds no GPU' }
  const field = /Field "([^"]+)" is not a valid field/i.exec(text)
  if (field) return { kind: 'field', text: field[1] ?? '' }
  if (
    /has failed because|Failed to initialize NVML|GPU is lost|Unable to determine the device handle/i.test(
      text,
    )
  )
    return { kind: 'driver', text }
  return null
}
