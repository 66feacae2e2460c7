import { expect, test } from 'vitest'
import { distance, lab, seen, type Vision, visions } from '../../theme/colour-vision.ts'
import { themes } from '../../theme/tokens.ts'
import { outlineOf } from './shapes.ts'
import { barStyle, gradedStatuses, type MarkStatus, statusInfo } from './status-info.ts'

/** Of the strip's usual mark, px; each is sampled four by four. */
const radius = 3.4
const size = 9
const fine = 4

/** The three statuses without a reward are one mark on purpose: what they have in common is what matters there. */
const told: MarkStatus[] = [...gradedStatuses, 'unreachable', 'pending']

/** How much of each pixel a mark covers, as painted around the middle of a square. */
function coverage(status: MarkStatus): number[] {
  const outline = outlineOf(statusInfo(status).shape)
  const inside = (x: number, y: number): boolean => {
    if (outline.kind === 'circle') {
      const off = Math.hypot(x, y)
      return outline.fill ? off <= outline.radius : Math.abs(off - outline.radius) <= outline.stroke / 2
    }
    return outline.points.some((points) =>
      outline.fill ? within(points, x, y) : near(points, x, y) <= outline.stroke / 2,
    )
  }
  return Array.from({ length: size * size }, (_, at) => {
    let hits = 0
    for (let n = 0; n < fine * fine; n += 1) {
      const x = (at % size) + ((n % fine) + 0.5) / fine - size / 2
      const y = Math.floor(at / size) + (Math.floor(n / fine) + 0.5) / fine - size / 2
      if (inside(x / radius, y / radius)) hits += 1
    }
    return hits / fine ** 2
  })
}

function within(points: [number, number][], x: number, y: number): boolean {
  let odd = false
  for (const [at, [ax, ay]] of points.entries()) {
    const [bx, by] = points[(at + 1) % points.length] ?? [0, 0]
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) odd = !odd
  }
  return odd
}

function near([a = [0, 0], b = [0, 0]]: [number, number][], x: number, y: number): number {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]]
  const along = Math.min(1, Math.max(0, ((x - a[0]) * dx + (y - a[1]) * dy) / (dx ** 2 + dy ** 2)))
  return Math.hypot(x - a[0] - along * dx, y - a[1] - along * dy)
}

/** Mean difference in L*a*b* between two marks, over the pixels that either covers. */
function difference(a: MarkStatus, b: MarkStatus, theme: 'dark' | 'light', vision: Vision): number {
  const tokens = themes[theme]
  const ground = seen(tokens.panel, vision)
  const [maskA, maskB] = [coverage(a), coverage(b)]
  const over = (status: MarkStatus, share: number) => {
    const ink = seen(tokens[statusInfo(status).token], vision)
    return lab([0, 1, 2].map((at) => ground[at as 0] * (1 - share) + ink[at as 0] * share) as typeof ground)
  }
  let sum = 0
  let pixels = 0
  for (const [at, shareA] of maskA.entries()) {
    const shareB = maskB[at] ?? 0
    if (shareA === 0 && shareB === 0) continue
    sum += distance(over(a, shareA), over(b, shareB))
    pixels += 1
  }
  return sum / pixels
}

const pairs = told.flatMap((a, at) => told.slice(at + 1).map((b) => [a, b] as const))

test.each(visions)('every two statuses are told apart as seen with %s, in both themes', (vision) => {
  const close = (['dark', 'light'] as const).flatMap((theme) =>
    pairs.flatMap(([a, b]) => {
      const by = difference(a, b, theme, vision)
      // Two is just noticeable for patches side by side. This is a mean over all that either mark covers, in which what they share counts as nothing.
      return by < 5 ? [`${theme}: ${a} and ${b} by ${by.toFixed(1)}`] : []
    }),
  )
  expect(close).toEqual([])
})

test('colour alone would not do: that is what the shapes are for', () => {
  const alone = pairs.filter(([a, b]) => {
    const [one, other] = [themes.dark[statusInfo(a).token], themes.dark[statusInfo(b).token]]
    return visions.some((vision) => distance(lab(seen(one, vision)), lab(seen(other, vision))) < 8)
  })
  expect(alone.length).toBeGreaterThan(0)
})

test('parts of a bar that touch differ in colour or in pattern, however they are seen', () => {
  const touching = gradedStatuses
    .slice(1)
    .map((status, at) => [gradedStatuses[at] ?? status, status] as const)
  const close = (['dark', 'light'] as const).flatMap((theme) =>
    visions.flatMap((vision) =>
      touching.flatMap(([a, b]) => {
        if (barStyle(a) !== barStyle(b)) return []
        const [one, other] = [themes[theme][statusInfo(a).token], themes[theme][statusInfo(b).token]]
        const by = distance(lab(seen(one, vision)), lab(seen(other, vision)))
        return by < 8 ? [`${theme}, ${vision}: ${a} and ${b} by ${by.toFixed(1)}`] : []
      }),
    ),
  )
  expect(close).toEqual([])
})
