export const streams = ['trainer', 'verifier', 'supervisor'] as const
export type Stream = (typeof streams)[number]
