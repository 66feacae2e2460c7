/**
 * Student's t distribution, for intervals over a handful of training seeds.
 *
 * The distribution function follows from the regularised incomplete beta function: for t ≥ 0,
 * P(T ≤ t) = 1 − I_x(ν/2, 1/2) / 2 with x = ν / (ν + t²)  (Abramowitz & Stegun, 26.7.1).
 */
export function studentCdf(t: number, degrees: number): number {
  const tail = incompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5) / 2
  return t >= 0 ? 1 - tail : tail
}

/**
 * The value below which a share `p` of the distribution lies. `p` in (0, 1), `degrees` > 0; NaN outside.
 * Solved by bisection: the function is monotone, and sixty halvings of a bracket reach the last bit.
 */
export function studentQuantile(p: number, degrees: number): number {
  if (!(p > 0 && p < 1 && degrees > 0)) return Number.NaN
  if (p < 0.5) return -studentQuantile(1 - p, degrees)
  if (p === 0.5) return 0
  let low = 0
  let high = 1
  while (studentCdf(high, degrees) < p) high *= 2
  for (let i = 0; i < 200 && high - low > Number.EPSILON * high; i++) {
    const middle = (low + high) / 2
    if (studentCdf(middle, degrees) < p) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** Regularised incomplete beta I_x(a, b) by its continued fraction (Abramowitz & Stegun 26.5.8, evaluated by Lentz's method). */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  // The fraction converges fast only below the mean; above it, use the symmetry I_x(a, b) = 1 − I_{1−x}(b, a).
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a)
  const front =
    Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a
  return front * betaFraction(x, a, b)
}

function betaFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300
  const guard = (value: number) => (Math.abs(value) < tiny ? tiny : value)
  let c = 1
  let d = 1 / guard(1 - ((a + b) * x) / (a + 1))
  let result = d
  for (let m = 1; m <= 500; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / guard(1 + even * d)
    c = guard(1 + even / c)
    result *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / guard(1 + odd * d)
    c = guard(1 + odd / c)
    const step = d * c
    result *= step
    if (Math.abs(step - 1) < 1e-16) break
  }
  return result
}

/** ln Γ(z) for z > 0: Stirling's series after shifting z above 12, where eight terms are exact to double precision. */
export function logGamma(z: number): number {
  let shift = 0
  let x = z
  while (x < 12) {
    shift -= Math.log(x)
    x += 1
  }
  const inverse = 1 / (x * x)
  const coefficients = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156]
  let series = 0
  for (const coefficient of coefficients.toReversed()) series = series * inverse + coefficient
  return shift + (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + series / x
}
