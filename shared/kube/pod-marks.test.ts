import { expect, test } from 'vitest'
import { KubeObject } from './objects.ts'
import { podFacts } from './pod-facts.ts'
import { podMarks } from './pod-marks.ts'

const at = '2026-11-29T12:00:00.000Z'
const ready = (status: string) => ({ type: 'Ready', status })

const pod = (status: Record<string, unknown>, more: { deleted?: boolean; node?: string | null } = {}) =>
  podFacts(
    KubeObject.parse({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'v-1', uid: 'u', ...(more.deleted && { deletionTimestamp: at }) },
      spec: more.node === null ? {} : { nodeName: more.node ?? 'n1' },
      status,
    }),
  )

const container = (
  state: Record<string, unknown>,
  restartCount = 0,
  lastState: Record<string, unknown> = {},
) => ({
  containerStatuses: [{ name: 'verifier', ready: 'running' in state, restartCount, state, lastState }],
})
const running = (restarts = 0, last: Record<string, unknown> = {}) => ({
  phase: 'Running',
  conditions: [ready('True')],
  ...container({ running: {} }, restarts, last),
})
const oom = { terminated: { exitCode: 137, reason: 'OOMKilled' } }

test.each([
  [
    'waits for a node',
    null,
    pod(
      {
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message: '0/1 nodes: Insufficient cpu.',
          },
        ],
      },
      { node: null },
    ),
    ['pending warning has no node: 0/1 nodes: Insufficient cpu.'],
  ],
  [
    'starts and gets ready',
    pod({ phase: 'Pending', ...container({ waiting: { reason: 'ContainerCreating' } }) }),
    pod(running()),
    ['started info container verifier was started', 'ready info is ready'],
  ],
  [
    'has no image',
    pod({ phase: 'Pending', ...container({ waiting: { reason: 'ContainerCreating' } }) }),
    pod({ phase: 'Pending', ...container({ waiting: { reason: 'ErrImagePull', message: 'not found' } }) }),
    ['image error container verifier waits: ErrImagePull, not found'],
  ],
  [
    'is killed for its memory and started again, unseen between',
    pod(running()),
    pod(running(1, oom)),
    [
      'oom_killed error container verifier was killed for its memory',
      'restarted warning container verifier was restarted, 1 in all',
    ],
  ],
  [
    'is killed for its memory, seen while it is down',
    pod(running()),
    pod({ phase: 'Running', conditions: [ready('False')], ...container(oom) }),
    [
      'oom_killed error container verifier was killed for its memory',
      'unready warning is not ready any more',
    ],
  ],
  [
    'and then started again: the killing is told once',
    pod({ phase: 'Running', conditions: [ready('False')], ...container(oom) }),
    pod(running(1, oom)),
    ['restarted warning container verifier was restarted, 1 in all', 'ready info is ready'],
  ],
  [
    'crash-loops',
    pod(running()),
    pod({
      phase: 'Running',
      conditions: [ready('False')],
      ...container({ waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s.' } }, 2, {
        terminated: { exitCode: 2, reason: 'Error' },
      }),
    }),
    [
      'failed error container verifier ended: Error, exit code 2',
      'restarted warning container verifier was restarted 2 times, 2 in all',
      'failed error container verifier waits: CrashLoopBackOff, back-off 10s',
      'unready warning is not ready any more',
    ],
  ],
  [
    'is evicted',
    pod(running()),
    pod({
      phase: 'Failed',
      reason: 'Evicted',
      message: 'Pod ephemeral local storage usage exceeds the total limit.',
    }),
    [
      'evicted error Evicted, Pod ephemeral local storage usage exceeds the total limit',
      'unready warning is not ready any more',
    ],
  ],
  ['is told to end', pod(running()), pod(running(), { deleted: true }), ['deleted warning was told to end']],
  ['is gone unasked', pod(running()), null, ['deleted warning is gone']],
  ['does nothing', pod(running(3, oom)), pod(running(3, oom)), []],
])('a pod that %s', (_name, before, after, expected) => {
  expect(podMarks(before, after, at).map(({ kind, level, text }) => `${kind} ${level} ${text}`)).toEqual(
    expected,
  )
})
