import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: `${import.meta.dirname}/../..`,
  test: {
    include: ['{shared,electron,renderer,resources}/**/*.test.{ts,tsx}'],
    // Tests start real servers and sandboxes; two cores and honest limits beat many forks that starve each other.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    setupFiles: ['electron/testing/leak-guard.ts'],
    reporters: ['default'],
  },
})
