import { AppError } from '#shared/base/errors.ts'
import type { BoxView, Handlers } from '#shared/ipc/contract.ts'
import type { LeaseLedger } from '../../leases/ledger.ts'
import type { GpuTelemetry } from '../../telemetry/gpu/gpu-telemetry.ts'
import type { Boxes } from './boxes.ts'
import { testBox } from './test-box.ts'

type BoxRequests = 'boxes.list' | 'boxes.add' | 'boxes.remove' | 'boxes.test' | 'boxes.trust' | 'boxes.unlock'

type BoxParts = { boxes: Boxes; ledger: LeaseLedger; gpus: GpuTelemetry }

/** The requests about boxes. */
export function boxHandlers(parts: BoxParts): Pick<Handlers, BoxRequests> {
  const { boxes, ledger } = parts
  const view = (id: string) => boxView(parts, id)
  return {
    'boxes.list': () => boxes.list().map((box) => view(box.id)),
    'boxes.add': async ({ target, name }) => view((await boxes.add(target, name)).id),
    'boxes.remove': async ({ box }) => {
      const held = runsOn(ledger, boxes.find(box).id)
      if (held.length > 0)
        throw new AppError('bad_input', `${box} still holds something of ${held.join(', ')}.`, {
          hint: 'Tear these runs down first.',
        })
      await boxes.remove(boxes.find(box).id)
      return { removed: true }
    },
    'boxes.test': ({ box }) => testBox(boxes, box),
    'boxes.trust': async ({ box, fingerprint }) => {
      await boxes.trust(boxes.find(box).id, fingerprint)
      return view(boxes.find(box).id)
    },
    'boxes.unlock': async ({ box, passphrase }) => {
      await boxes.unlock(boxes.find(box).id, passphrase)
      return view(boxes.find(box).id)
    },
  }
}

function boxView({ boxes, ledger, gpus }: BoxParts, id: string): BoxView {
  const { state, since, step, error, hostKey, passphraseFor, nextTryAt, lastHeardAt, connects } =
    boxes.link(id).state
  return {
    ...boxes.find(id),
    state,
    since: since.toISOString(),
    step,
    error,
    hostKey,
    passphraseFor,
    nextTryAt: nextTryAt?.toISOString() ?? null,
    lastHeardAt: lastHeardAt?.toISOString() ?? null,
    connects,
    runs: runsOn(ledger, id),
    gpu: gpus.state(id),
  }
}

const runsOn = (ledger: LeaseLedger, box: string): string[] => [
  ...new Set(
    ledger
      .all()
      .filter((lease) => lease.identity.box === box && lease.state !== 'released')
      .flatMap((lease) => lease.run ?? []),
  ),
]
