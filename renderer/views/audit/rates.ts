import type { ConfusionRow, SuiteTable } from '#shared/ipc/contract.ts'
import type { BoundedRate } from '#shared/stats/acceptance.ts'
import { formatNumber, unknown } from '../../app/format.ts'

const percent = (share: number) => formatNumber(100 * share)

/** `92 % [90, 94]`, or `88 to 95 % [86, 96]` where not everything is known; the interval is the 95 % one. */
export function inWords({ share, bounds, interval }: BoundedRate): string {
  const range = interval === null ? '' : ` [${percent(interval.low)}, ${percent(interval.high)}]`
  if (bounds !== null) return `${percent(bounds.low)} to ${percent(bounds.high)} %${range}`
  return share === null ? unknown : `${percent(share)} %${range}`
}

export const rowBy = (table: SuiteTable | undefined, by: ConfusionRow['by']): ConfusionRow | undefined =>
  table?.rows.find((row) => row.by === by)
