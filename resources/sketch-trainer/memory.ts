import type { EventBody } from '#shared/journal/events.ts'

/** The memory of this very process, as the run's only device: it has no accelerator, and says nothing that it does not know. */
export const memoryEvent = (): EventBody => ({
  type: 'memory',
  devices: [
    {
      name: 'trainer process (RSS)',
      usedBytes: process.memoryUsage.rss(),
      totalBytes: null,
      reservedBytes: null,
      peakBytes: process.resourceUsage().maxRSS * 1024,
      utilisation: null,
      temperatureC: null,
      powerW: null,
    },
  ],
})
