import { defineConfig } from 'vitest/config'

/** Tests against a real Kubernetes, beside what they test. One file at a time: some take the API server away from everybody. */
export default defineConfig({
  root: `${import.meta.dirname}/../..`,
  test: {
    include: ['{electron,resources,e2e}/**/*.cluster.ts'],
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 240_000,
    setupFiles: ['electron/testing/leak-guard.ts'],
    reporters: ['default'],
  },
})
