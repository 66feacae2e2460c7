import type { Figure } from '../../commands/bench.ts'
import type { UiBenchOptions } from './bench-ui.ts'
import type { BenchHome } from './home.ts'
import type { PlainMeasures } from './measure-plain.ts'
import type { WindowMeasures } from './measure-window.ts'
import type { Memory } from './page.ts'

export type UiFigures = {
  home: BenchHome
  /** Null where an earlier call had read it in. */
  readMs: number | null
  openMs: number
  ours: WindowMeasures
  plain: PlainMeasures
  options: UiBenchOptions
}

/** Ratios are the plain way's ÷ the window's, but for those that say otherwise. */
export function figuresOf({ home, readMs, openMs, ours, plain, options }: UiFigures): Figure[] {
  const against = (name: string, value: number, plainly: number, unit = 'ms') =>
    figure(name, value, unit, plainly / value)
  return [
    figure('rollouts', options.rollouts, 'count'),
    figure('steps', options.steps, 'count'),
    figure('runs listed', options.others + 1, 'count'),
    figure('journal', home.bytes / 1e6, 'MB'),
    figure('journal written', home.writeMs),
    ...(readMs === null ? [] : [figure('journal read into the index', readMs)]),
    figure('console opened on it', openMs),
    figure('list of runs on the screen', ours.listMs),
    against('open the run to its first complete paint', median(ours.opens), plain.openMs),
    figure('open: received', ours.openFrames.bytes / 1e6, 'MB'),
    figure('open: longest block by own code', ours.openBlocks.longestOwn),
    figure('open: longest task, processor time', ours.openWork),
    against('filter', median(ours.filters), median(plain.filters)),
    figure('filter, slowest', Math.max(...ours.filters)),
    against('jump to any rollout', median(ours.jumps), plain.jumpMs),
    figure('jump, slowest', Math.max(...ours.jumps)),
    against('memory when opened, JavaScript', ours.opened.heap, plain.opened.heap, 'MB'),
    against('memory when opened, process', ours.opened.resident, plain.opened.resident, 'MB'),
    ...growthFigures(ours, plain, options),
  ]
}

function growthFigures(ours: WindowMeasures, plain: PlainMeasures, options: UiBenchOptions): Figure[] {
  const minutes = Math.floor(options.minutes)
  const [second, last] = [minuteOf(ours, Math.min(2, minutes)), minuteOf(ours, minutes)]
  const perMinute = (last.heap - second.heap) / Math.max(1, minutes - 2)
  return [
    figure('grown for', options.minutes, 'minutes'),
    figure('events a second, wanted', options.eventsPerSecond, '1/s'),
    figure('events a second, in the window', ours.eventsPerSecond, '1/s'),
    figure('batches a second', ours.growthFrames.count / (options.minutes * 60), '1/s'),
    figure('largest batch', ours.growthFrames.largest / 1e6, 'MB'),
    figure('memory, JavaScript: last minute ÷ second', last.heap, 'MB', last.heap / second.heap),
    figure('memory, process: last minute ÷ second', last.resident, 'MB', last.resident / second.resident),
    figure(
      'memory grown a minute, JavaScript',
      perMinute,
      'MB',
      perMinute > 0 ? plain.grownMbPerMinute / perMinute : null,
    ),
    figure(
      'longest block by own code',
      ours.growthBlocks.longestOwn,
      'ms',
      plain.growthBlocks.longestTask / ours.growthBlocks.longestOwn,
    ),
    figure('page’s priority while it grew', ours.growthPriority, 'nice'),
    figure('longest task, processor time', ours.growthWork),
    figure(
      'longest task, browser’s own work included',
      ours.growthBlocks.longestTask,
      'ms',
      plain.growthBlocks.longestTask / ours.growthBlocks.longestTask,
    ),
  ]
}

/** The mean of a minute's looks, the first minute being 1. */
function minuteOf({ growth }: WindowMeasures, minute: number): Memory {
  const looks = growth.filter(({ atMs }) => atMs > (minute - 1) * 60_000 && atMs <= minute * 60_000 + 5_000)
  const mean = (of: (memory: Memory) => number) =>
    looks.reduce((sum, { memory }) => sum + of(memory), 0) / Math.max(1, looks.length)
  return { heap: mean(({ heap }) => heap), resident: mean(({ resident }) => resident) }
}

const figure = (name: string, value: number, unit = 'ms', ratio: number | null = null): Figure => ({
  name,
  ratio,
  value,
  unit,
})

const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
