import { z } from 'zod'
import type { GpuReading } from './nvidia-smi.ts'

const Cards = z.record(z.string(), z.record(z.string(), z.string()))

/**
 * One answer of `rocm-smi … --json`, a card after the other. The tool's releases name the same thing differently, so a cell is found by what its name
 * says; what is missing or no number is unknown, never 0. @returns null where it is no such answer.
 */
export function readRocm(json: string): GpuReading[] | null {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return null
  }
  const parsed = Cards.safeParse(value)
  if (!parsed.success) return null
  const readings = Object.entries(parsed.data).flatMap(([card, cells]) => {
    const index = /^card(\d+)$/.exec(card)?.[1]
    return index === undefined ? [] : [readingOf(Number(index), cells)]
  })
  return readings.length === 0 ? null : readings
}

function readingOf(index: number, cells: Record<string, string>): GpuReading {
  const cell = (name: RegExp) => Object.entries(cells).find(([key]) => name.test(key))?.[1]
  const number = (name: RegExp, unit = 1) => {
    const text = cell(name)?.trim() ?? ''
    return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) * unit : null
  }
  return {
    index,
    uuid: cell(/^unique id/i) ?? `card${index}`,
    name: cell(/^card series/i) ?? cell(/^card model/i) ?? 'AMD GPU',
    mig: false,
    usedBytes: number(/vram total used memory/i),
    reservedBytes: null,
    totalBytes: number(/vram total memory/i),
    utilisation: number(/^gpu use/i, 0.01),
    temperatureC: number(/temperature.*(edge|junction)/i),
    powerW: number(/graphics package power/i),
  }
}
