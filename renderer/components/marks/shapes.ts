import type { Shape } from './status-info.ts'

/** A mark's outline around (0, 0) for a nominal radius of 1: polygons and strokes in drawing order, or a circle. */
export type Outline =
  | { kind: 'circle'; radius: number; fill: boolean; stroke: number }
  | { kind: 'path'; points: [number, number][][]; fill: boolean; stroke: number }

// Areas are balanced by eye, so that no status looks more frequent than another of the same count.
const outlines: Record<Shape, Outline> = {
  disc: { kind: 'circle', radius: 0.92, fill: true, stroke: 0 },
  ring: { kind: 'circle', radius: 0.86, fill: false, stroke: 0.42 },
  dot: { kind: 'circle', radius: 0.42, fill: true, stroke: 0 },
  triangle: {
    kind: 'path',
    points: [
      [
        [0, -1.1],
        [1.08, 0.82],
        [-1.08, 0.82],
      ],
    ],
    fill: true,
    stroke: 0,
  },
  square: {
    kind: 'path',
    points: [
      [
        [-0.84, -0.84],
        [0.84, -0.84],
        [0.84, 0.84],
        [-0.84, 0.84],
      ],
    ],
    fill: true,
    stroke: 0,
  },
  diamond: {
    kind: 'path',
    points: [
      [
        [0, -1.2],
        [1.1, 0],
        [0, 1.2],
        [-1.1, 0],
      ],
    ],
    fill: true,
    stroke: 0,
  },
  bar: {
    kind: 'path',
    points: [
      [
        [-1.1, -0.36],
        [1.1, -0.36],
        [1.1, 0.36],
        [-1.1, 0.36],
      ],
    ],
    fill: true,
    stroke: 0,
  },
  cross: {
    kind: 'path',
    points: [
      [
        [-0.9, -0.9],
        [0.9, 0.9],
      ],
      [
        [0.9, -0.9],
        [-0.9, 0.9],
      ],
    ],
    fill: false,
    stroke: 0.58,
  },
}

export const outlineOf = (shape: Shape): Outline => outlines[shape]

/** SVG path data of an outline's polygons, scaled by `radius` around (cx, cy). */
export function pathData(
  points: [number, number][][],
  cx: number,
  cy: number,
  radius: number,
  close: boolean,
) {
  return points
    .map((polygon) => {
      const corners = polygon.map(([x, y]) => `${cx + x * radius} ${cy + y * radius}`)
      return `M${corners.join('L')}${close ? 'Z' : ''}`
    })
    .join('')
}
