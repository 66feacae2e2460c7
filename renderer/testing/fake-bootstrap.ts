import type { BootstrapStep, BootstrapView } from '#shared/ipc/bootstrap.ts'
import type { Handlers } from '#shared/ipc/contract.ts'

type BootstrapRequests = 'bootstrap.get' | 'bootstrap.start' | 'bootstrap.stop'

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

const step = (
  name: string,
  state: BootstrapStep['state'],
  minutes: number | null,
  detail = '',
): BootstrapStep => ({
  step: name,
  state,
  since: minutes === null ? null : ago(minutes),
  detail,
})

/** A box that is ready but for its GPU, which is waited for since hours. */
export function fakeBootstrapHandlers(): Pick<Handlers, BootstrapRequests> {
  let going = false
  const view = (box: string): BootstrapView => ({
    box,
    going,
    fault: null,
    ready: false,
    python: '/home/dev/.ringside/trainer/venv/bin/python3',
    steps: [
      step('python', 'done', 200, '3.11.2'),
      step('disk', 'done', 200, '412.0 GiB free'),
      step('venv', 'done', 199, '/home/dev/.ringside/trainer/venv/bin/python3'),
      step('packages', 'done', 192, '6 locked packages installed'),
      step('model', 'done', 192, '/data/models/small'),
      step('gpu', 'waiting', 192, 'no GPU answers nvidia-smi yet'),
      step('self-check', 'todo', null),
    ],
  })
  return {
    'bootstrap.get': ({ box }) => view(box),
    'bootstrap.start': ({ box }) => {
      going = true
      return view(box)
    },
    'bootstrap.stop': ({ box }) => {
      going = false
      return view(box)
    },
  }
}
