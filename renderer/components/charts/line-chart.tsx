import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useTheme } from '../../theme/theme.ts'
import type { Tokens } from '../../theme/tokens.ts'
import { paintQueue } from './paint-queue.ts'
import { chartFont, type Inset } from './plot-area.ts'
import { type Columns, thin } from './thin.ts'

export type Line = { token: keyof Tokens; dash?: number[]; width?: number }

type Props = {
  lines: Line[]
  columns: () => Columns
  version: unknown
  domain: [number, number]
  inset: Inset
  /** The value axis; read at every redraw. */
  range: () => [number, number]
  /** Values to label and how. */
  ticks: (range: [number, number]) => number[]
  format: (value: number) => string
  label: string
  /** Painted over the lines, in device pixels. */
  draw?: (plot: uPlot, tokens: Tokens) => void
}

/** Lines over the step axis. A null is a gap and stays one; a value between two gaps is a dot. */
export function LineChart(props: Props) {
  const host = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  latest.current = props
  const update = useRef<() => void>(() => undefined)
  const tokens = useTheme((state) => state.tokens)
  const shape = props.lines.map((line) => `${line.token}${line.dash ?? ''}`).join()

  // biome-ignore lint/correctness/useExhaustiveDependencies: the plot is made anew only for another theme or other lines
  useEffect(() => {
    const element = host.current
    if (!element) return
    // Made at its first turn to be painted: a dozen made in the moment in which a board appears would hold it up.
    let plot: uPlot | null = null
    const redraw = () => {
      const { clientWidth: width, clientHeight: height } = element
      if (width === 0 || height === 0) return
      plot ??= new uPlot(optionsOf(latest, tokens, { width, height }), empty(latest.current), element)
      if (plot.width !== width || plot.height !== height) plot.setSize({ width, height })
      const { inset, domain } = latest.current
      const { x, series } = thin(latest.current.columns(), domain, width - inset.left - inset.right)
      // What fitted is still the run's own columns, which grow under a plot that is resized before it is redrawn.
      plot.setData([[...x], ...series.map((values) => [...values])])
    }
    let takeBack = () => {}
    update.current = () => {
      takeBack = paintQueue.add(redraw)
    }
    const observer = new ResizeObserver(() => update.current())
    observer.observe(element)
    return () => {
      observer.disconnect()
      takeBack()
      update.current = () => undefined
      plot?.destroy()
    }
  }, [tokens, shape])

  // biome-ignore lint/correctness/useExhaustiveDependencies: says when to redraw
  useEffect(() => update.current(), [props.version, props.domain[0], props.domain[1]])

  return <div ref={host} className="line-chart" role="img" aria-label={props.label} />
}

const empty = ({ lines }: Props): uPlot.AlignedData => [[], ...lines.map(() => [])]

function optionsOf(
  latest: { current: Props },
  tokens: Tokens,
  size: { width: number; height: number },
): uPlot.Options {
  const { lines, inset } = latest.current
  return {
    ...size,
    padding: [inset.top, inset.right, inset.bottom, 0],
    legend: { show: false },
    cursor: { show: false },
    select: { show: false, left: 0, top: 0, width: 0, height: 0 },
    scales: {
      x: { time: false, range: () => latest.current.domain },
      y: { range: () => latest.current.range() },
    },
    axes: [
      { show: false },
      {
        size: inset.left,
        gap: 7,
        font: chartFont,
        stroke: tokens.dim,
        grid: { stroke: tokens.line, width: 1 },
        ticks: { show: false },
        splits: (_plot, _axis, low, high) => latest.current.ticks([low, high]),
        values: (_plot, values) => values.map((value) => latest.current.format(value)),
      },
    ],
    series: [{}, ...lines.map((line) => seriesOf(line, tokens))],
    hooks: { draw: [(plot) => latest.current.draw?.(plot, tokens)] },
  }
}

function seriesOf({ token, dash, width = 1.5 }: Line, tokens: Tokens): uPlot.Series {
  return {
    stroke: tokens[token],
    width,
    spanGaps: false,
    ...(dash ? { dash } : {}),
    points: { show: true, size: 4, fill: tokens[token], stroke: tokens[token], filter: lonely },
  }
}

/** Indices whose neighbours are both gaps: a line cannot show them. */
function lonely(plot: uPlot, seriesIndex: number): number[] {
  const values = plot.data[seriesIndex] ?? []
  const lone: number[] = []
  for (let at = 0; at < values.length; at++) {
    if (values[at] != null && values[at - 1] == null && values[at + 1] == null) lone.push(at)
  }
  return lone
}
