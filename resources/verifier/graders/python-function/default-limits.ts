import type { Limits } from '#shared/domain/suite.ts'

/**
 * One input's limits where a task states none. Processor time decides about busy loops; the wall clock only about sleepers, so it is wide
 * enough for a machine that is busy with other things.
 */
export const defaultLimits: Limits = {
  wallMs: 5_000,
  cpuMs: 1_000,
  memoryBytes: 512 * 1024 * 1024,
  outputBytes: 64 * 1024,
  fileBytes: 1024 * 1024,
  processes: 16,
}
