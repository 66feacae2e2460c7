import { AppError } from '#shared/base/errors.ts'
import type { AdapterList, AdapterRow } from '#shared/domain/adapter.ts'
import type { Handlers } from '#shared/ipc/contract.ts'
import { fakeDigest } from './fake-bodies.ts'

type AdapterRequests = 'adapters.list' | 'adapters.change' | 'adapters.plan' | 'adapters.retire'

const adapter = (stage: string, step: number, parent: string | null, passed: number | null): AdapterRow => ({
  id: `${stage}-${step}-${fakeDigest(stage).slice(0, 8)}`,
  stage,
  step,
  parent,
  path: `checkpoints/${stage}/checkpoint-${step}`,
  sha256: fakeDigest(stage),
  bytes: 84_213_760,
  heldOut: passed === null ? null : { passed, graded: 128, planned: 128, partial: false },
  mark: null,
  retired: false,
  present: true,
})

/** A registry of three adapters, one after another, that keeps what is done to it. */
export function fakeAdapterHandlers(): Pick<Handlers, AdapterRequests> {
  const sft = adapter('sft', 40, null, null)
  const grpo = adapter('grpo', 24, sft.id, 61)
  const recovery = adapter('recovery', 12, grpo.id, 44)
  let rows = [sft, grpo, recovery]
  let current: string | null = recovery.id
  const list = (): AdapterList => ({
    current,
    adapters: rows,
    diskBytes: rows.filter((row) => !row.retired).reduce((sum, row) => sum + row.bytes, 0),
  })
  const change = (ids: string[], changes: Partial<AdapterRow>) => {
    rows = rows.map((row) => (ids.includes(row.id) ? { ...row, ...changes } : row))
  }
  return {
    'adapters.list': list,
    'adapters.change': ({ adapter: id, change: what }) => {
      if (what === 'roll_back') current = id
      else change([id], { mark: what === 'unmark' ? null : what === 'mark_good' ? 'good' : 'bad' })
      return list()
    },
    'adapters.plan': ({ adapters }) => {
      const inUse = adapters.find((id) => id === current)
      if (inUse) throw new AppError('bad_input', `${inUse} is in use; roll back to another first.`)
      const chosen = rows.filter((row) => adapters.includes(row.id))
      return {
        plan: fakeDigest(adapters.join()),
        adapters: chosen,
        bytes: chosen.reduce((sum, row) => sum + row.bytes, 0),
      }
    },
    'adapters.retire': ({ adapters }) => {
      change(adapters, { retired: true, present: false })
      return { ...list(), freedBytes: adapters.length * 84_213_760 }
    },
  }
}
