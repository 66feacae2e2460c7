/**
 * The chance that at least one of k draws passes, estimated without bias from n draws of which c passed: 1 − C(n − c, k) ÷ C(n, k)
 * (Chen et al. 2021, Evaluating LLMs Trained on Code, eq. 1). The tempting 1 − (1 − c/n)^k is biased low.
 *
 * Computed as a product, since the binomials themselves overflow. Null where n < k: fewer draws cannot say.
 * @throws RangeError unless 0 ≤ c ≤ n and k ≥ 1, all whole.
 */
export function passAtK(n: number, c: number, k: number): number | null {
  const whole = [n, c, k].every((value) => Number.isInteger(value))
  if (!whole || c < 0 || c > n || k < 1) throw new RangeError(`no pass@${k} from ${c} passes in ${n} draws`)
  if (n < k) return null
  if (n - c < k) return 1
  let allFail = 1
  for (let i = n - c + 1; i <= n; i++) allFail *= 1 - k / i
  return 1 - allFail
}
