import type { RunSpec } from '#shared/domain/run.ts'
import { fakeDigest } from './fake-bodies.ts'

export const fakeRun = 'r-20261129-7k2m4q'

export const fakeSpec: RunSpec = {
  v: 1,
  name: 'booking · weak suite · seed 11',
  run: fakeRun,
  box: { kind: 'local' },
  suite: { path: '/suites/booking/weak', name: 'booking-weak', version: '1', sha256: fakeDigest('train') },
  audit: { path: '/suites/booking/audit', name: 'booking-audit', version: '1', sha256: fakeDigest('audit') },
  verifier: { workers: 4 },
  trainer: {
    kind: 'sketch',
    seed: 11,
    updates: 24,
    groupSize: 4,
    groupsPerStep: 8,
    learningRate: 1.5,
    clip: 0.2,
    evalDraws: 128,
    shaping: { format: 0.05, length: 0.03 },
    paceMs: 600,
  },
  overrides: [],
}
