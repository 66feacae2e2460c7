import type { LaunchDraft, LaunchOptions, PreflightReport, PreflightRow } from '#shared/ipc/contract.ts'
import { fakeDigest } from './fake-bodies.ts'

const suite = (name: string, cases: number, role: 'train' | 'audit', description: string) => ({
  path: `/suites/booking/${name}`,
  name: `booking-${name}`,
  version: '1',
  sha256: fakeDigest(name),
  grader: 'python-function',
  tasks: 1,
  cases,
  description,
  role,
  needs: null,
  madeAt: null,
})

export const fakeOptions: LaunchOptions = {
  suites: [
    suite('weak', 57, 'train', 'Leaves out bookings that touch, and ties'),
    suite('repaired', 57, 'train', 'As many cases as weak, chosen anew'),
    suite('reference', 96, 'train', 'The published suite'),
    suite('audit', 192, 'audit', 'Never trained on'),
  ],
  defaults: {
    name: 'booking, weak suite',
    box: 'local',
    suite: '/suites/booking/weak',
    audit: '/suites/booking/audit',
    source: null,
    workers: 2,
    verifier: { kind: 'local' },
    seed: 11,
    updates: 24,
    groupSize: 4,
    groupsPerStep: 8,
    learningRate: 1.5,
    evalDraws: 128,
    paceMs: 1000,
    shaping: {},
    reach: { kind: 'tunnel' },
    pipeline: null,
    selection: null,
    command: null,
    overrides: [],
  },
  boxes: [{ kind: 'local', id: 'local', label: 'this machine' }],
}

const row = (
  check: string,
  label: string,
  ms: number,
  detail: string,
  rest: Partial<PreflightRow> = {},
): PreflightRow => ({
  check,
  label,
  state: 'passed',
  detail,
  remedy: null,
  ms,
  overridable: false,
  ...rest,
})

/** Checks a draft as a core would: a seed of 13 makes the grader's controls fail, an empty name the form itself. */
export function fakePreflight(draft: LaunchDraft): PreflightReport {
  const overridden = draft.overrides.some(
    (override) => override.check === 'controls' && override.reason.length >= 8,
  )
  const rows: PreflightRow[] = [
    draft.name.trim() === ''
      ? row('draft', 'Form', 1, 'name: must not be empty', {
          state: 'failed',
          remedy: 'Give the run a name.',
        })
      : row('draft', 'Form', 1, '12 fields, all valid'),
    row('python', 'Python', 42, '3.12.4 at /usr/bin/python3'),
    row('isolation', 'Sandbox', 12, 'bubblewrap: no network, no capability, unprivileged user'),
    row('disk', 'Disk', 3, '41 GiB free, this run needs about 0.1 GiB'),
    row('suite', 'Suite', 9, '1 task, 57 cases, digest as frozen'),
    row('reference', 'Reference body', 310, 'passes 57 of 57'),
    draft.seed === 13 && !overridden
      ? row('controls', 'Grader’s controls', 840, '1 of 12 does not hold: reads_expected was accepted', {
          state: 'failed',
          remedy: 'Open the failing control and fix the suite or the grader.',
          overridable: true,
        })
      : row(
          'controls',
          'Grader’s controls',
          840,
          overridden ? 'overridden: 11 of 12 hold' : '12 of 12 hold',
          overridden ? { state: 'warned', overridable: true } : {},
        ),
    draft.audit === null
      ? row('audit', 'Audit suite', 0, 'none: false acceptances will not be seen', {
          state: 'warned',
          remedy: 'Choose an audit suite.',
        })
      : row('audit', 'Audit suite', 8, '192 cases, none of them in the training suite'),
  ]
  const failed = rows.some((candidate) => candidate.state === 'failed')
  const warned = rows.some((candidate) => candidate.state === 'warned')
  return { rows, verdict: failed ? 'failed' : warned ? 'warned' : 'ready' }
}
