/** How a colour may be seen. */
export type Vision = 'common' | 'grey' | 'protanopia' | 'deuteranopia' | 'tritanopia'

type Rgb = [number, number, number]

/**
 * Linear RGB as a person without one kind of cone sees it. Machado, Oliveira and Fernandes, “A physiologically-based model for simulation of color
 * vision deficiency” (IEEE TVCG 15, 2009), severity 1.0. Grey is relative luminance (WCAG 2.2).
 */
const matrices: Record<Exclude<Vision, 'common'>, [Rgb, Rgb, Rgb]> = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
  grey: [
    [0.2126, 0.7152, 0.0722],
    [0.2126, 0.7152, 0.0722],
    [0.2126, 0.7152, 0.0722],
  ],
}

export const visions = ['common', 'grey', 'protanopia', 'deuteranopia', 'tritanopia'] as const

/** `#rrggbb` as it is seen, in linear RGB from 0 to 1. */
export function seen(hex: string, vision: Vision): Rgb {
  const rgb = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }) as Rgb
  if (vision === 'common') return rgb
  return matrices[vision].map((row) =>
    Math.min(1, Math.max(0, row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2])),
  ) as Rgb
}

/** CIE L*a*b* (D65) of linear RGB: distances in it are about what an eye tells apart, 2 being just noticeable. */
export function lab([r, g, b]: Rgb): Rgb {
  const curve = (t: number) => (t > 216 / 24389 ? Math.cbrt(t) : (24389 / 27 / 116) * t + 16 / 116)
  const x = curve((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505)
  const y = curve(0.2126 * r + 0.7152 * g + 0.0722 * b)
  const z = curve((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089)
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

export const distance = (a: Rgb, b: Rgb): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])
