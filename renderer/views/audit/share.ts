import { formatNumber } from '../../app/format.ts'

/** Of what a figure of the audit is, where it is not of all accepted bodies: said with every such figure, empty where it is of all. */
export const ofShare = (share: number): string =>
  share >= 1 ? '' : `in a sample of ${formatNumber(100 * share)} % of accepted programs`

/** The shares that can be asked for by a click. */
export const shares = [1, 0.5, 0.25, 0.1, 0.05, 0.01]
