import type { BoxTest } from '#shared/domain/box.ts'
import type { BoxView, Handlers } from '#shared/ipc/contract.ts'
import type { GpuReading } from '#shared/telemetry/nvidia-smi.ts'

type BoxRequests = 'boxes.list' | 'boxes.add' | 'boxes.remove' | 'boxes.test' | 'boxes.trust' | 'boxes.unlock'

const at = '2026-11-29T09:00:00.000Z'

const box = (id: string, target: string, changes: Partial<BoxView> = {}): BoxView => ({
  id,
  name: target,
  target,
  root: '/home/dev/.ringside',
  addedAt: at,
  state: 'ready',
  since: at,
  step: null,
  error: null,
  hostKey: null,
  passphraseFor: null,
  nextTryAt: null,
  lastHeardAt: at,
  connects: 1,
  runs: [],
  gpu: null,
  ...changes,
})

const gib = 1024 ** 3
const gpu = (index: number, used: number): GpuReading => ({
  index,
  uuid: `GPU-${index}`,
  name: 'NVIDIA H100 80GB HBM3',
  mig: false,
  usedBytes: used * gib,
  reservedBytes: index === 0 ? 0.6 * gib : null,
  totalBytes: 80 * gib,
  utilisation: index === 0 ? 0.87 : null,
  temperatureC: 61,
  powerW: 512,
})

/** What the driver of a box tells, and what it does not. */
const watched: BoxView['gpu'] = {
  state: 'live',
  detail: '',
  sample: {
    at,
    gpus: [gpu(0, 61.4), gpu(1, 3.2)],
    processes: [{ uuid: 'GPU-0', pid: 4711, name: '/usr/bin/python3', usedBytes: 60.8 * gib }],
  },
}

const refused = box('rented', 'root@203.0.113.7:40022', {
  state: 'refused',
  root: null,
  lastHeardAt: null,
  connects: 0,
  error: {
    code: 'host_key_changed',
    message:
      'The host key of rented changed: it offers ssh-ed25519 key SHA256:new, on record is SHA256:old (~/.ssh/known_hosts:4).',
    hint: 'Nothing was sent. If this is a new machine at an old address, trust it as a new box with a new key.',
    retryable: false,
  },
  hostKey: {
    hop: 'rented',
    name: '[203.0.113.7]:40022',
    type: 'ssh-ed25519',
    base64: 'AAAA',
    fingerprint: 'SHA256:y7uEvyiR7/0an9km7IjfO/vsGAssiMEoyhHR6xPsPI0',
    known: [
      {
        type: 'ssh-ed25519',
        fingerprint: 'SHA256:Wk3mO3pVZ8cXr0bq1m7vS2mZs0fT9n4u5xq0Yy1aBcE',
        where: '~/.ssh/known_hosts:4',
      },
    ],
    changed: true,
  },
})

const steps = (ok: boolean): BoxTest['steps'] => [
  { step: 'resolve gpu-1', state: 'passed', detail: '', remedy: null, ms: 11 },
  { step: 'reach jump', state: 'passed', detail: '', remedy: null, ms: 74 },
  { step: 'check the key of jump', state: 'passed', detail: '', remedy: null, ms: 2 },
  ok
    ? { step: 'log in to gpu-1 as dev', state: 'passed', detail: '', remedy: null, ms: 88 }
    : {
        step: 'check the key of rented',
        state: 'failed',
        detail: refused.error?.message ?? '',
        remedy: refused.error?.hint ?? null,
        ms: 63,
      },
]

/** Boxes that are there without a network: one that works, one whose key changed. */
export function fakeBoxes(changed: (box: string) => void): Pick<Handlers, BoxRequests> {
  let boxes = [box('gpu-1', 'gpu-1', { runs: ['r-20261129-7k2m4q'], gpu: watched }), refused]
  const find = (id: string) => boxes.find((one) => one.id === id) ?? box(id, id)
  const put = (next: BoxView) => {
    boxes = [...boxes.filter((one) => one.id !== next.id), next]
    changed(next.id)
    return next
  }
  return {
    'boxes.list': () => boxes,
    'boxes.add': ({ target, name }) =>
      put(
        box(target.replaceAll(/[^a-z0-9]+/gi, '-'), target, {
          name: name ?? target,
          state: 'idle',
          lastHeardAt: null,
        }),
      ),
    'boxes.remove': ({ box: id }) => {
      boxes = boxes.filter((one) => one.id !== id)
      changed(id)
      return { removed: true }
    },
    'boxes.test': ({ box: id }) => {
      const ok = find(id).hostKey === null
      return { box: id, ok, steps: steps(ok) }
    },
    'boxes.trust': ({ box: id }) => put({ ...find(id), state: 'ready', error: null, hostKey: null }),
    'boxes.unlock': ({ box: id }) => put({ ...find(id), state: 'ready', passphraseFor: null }),
  }
}

type ShellRequests = 'shell.open' | 'shell.write' | 'shell.resize' | 'shell.read' | 'shell.close'

/** A shell that says who it is and echoes what is typed. */
export function fakeShell(advanced: (shell: string) => void): Pick<Handlers, ShellRequests> {
  let held = ''
  const say = (text: string) => {
    held += text
    advanced('fake')
    return { done: true } as const
  }
  return {
    'shell.open': ({ box: id }) => {
      setTimeout(() => say(`Last login: Sun Nov 29 09:00:00 2026\r\ndev@${id}:~$ `), 0)
      return { shell: 'fake' }
    },
    'shell.write': ({ text }) => say(text === '\r' ? '\r\ndev@box:~$ ' : text),
    'shell.resize': () => ({ done: true }),
    'shell.read': () => {
      const bytesBase64 = btoa(held)
      held = ''
      return { bytesBase64, ended: null, broken: false }
    },
    'shell.close': () => ({ done: true }),
  }
}
