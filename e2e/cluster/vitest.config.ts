import { defineConfig } from 'vitest/config'

const outages = '{electron,resources,e2e}/**/outage.cluster.ts'

/** Tests against a real Kubernetes, beside what they test. Most of their time is waiting for pods, so two files run at once. */
export default defineConfig({
  root: `${import.meta.dirname}/../..`,
  test: {
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    setupFiles: ['electron/testing/leak-guard.ts'],
    reporters: ['default'],
    projects: [
      {
        extends: true,
        test: {
          name: 'cluster',
          include: ['{electron,resources,e2e}/**/*.cluster.ts'],
          exclude: [outages],
          sequence: { groupOrder: 0 },
        },
      },
      // The API server is taken away from everybody: alone, and last.
      { extends: true, test: { name: 'outage', include: [outages], sequence: { groupOrder: 1 } } },
    ],
  },
})
