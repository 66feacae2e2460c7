import type { Slot } from '../graders/grader.ts'

type Waiter = { wants: number; task: string; wanted: () => boolean; take: (slots: Slot[] | null) => void }

export type SlotState = { slot: number; cache: 'warm' | 'cold'; task: string | null; ageMs: number | null }

/** Hands slots out in the order of asking. Who is no longer wanted when its turn comes gets none and costs nothing. */
export class SlotPool {
  private readonly slots: Slot[]
  private readonly free: Slot[]
  private readonly waiters: Waiter[] = []
  private readonly busy = new Map<Slot, { task: string; since: number }>()

  constructor(slots: Slot[]) {
    this.slots = slots
    this.free = [...slots]
  }

  /** @param wanted asked when a slot is there. @returns what `work` gives, or null where it was not wanted any more. */
  async withSlot<T>(
    task: string,
    wanted: () => boolean,
    work: (slot: Slot) => Promise<T>,
  ): Promise<T | null> {
    return this.withSlots(1, task, wanted, async ([slot]) => (slot === undefined ? null : work(slot)))
  }

  /** All slots at once, idle, for what takes more than one. Others wait meanwhile. */
  async withAll<T>(task: string, work: (slots: Slot[]) => Promise<T>): Promise<T | null> {
    return this.withSlots(this.slots.length, task, () => true, work)
  }

  get queued(): number {
    return this.waiters.filter((waiter) => waiter.wanted()).length
  }

  state(): SlotState[] {
    const now = performance.now()
    return this.slots.map((slot) => {
      const work = this.busy.get(slot)
      const age = work === undefined ? null : Math.round(now - work.since)
      return { slot: slot.index, cache: slot.cache, task: work?.task ?? null, ageMs: age }
    })
  }

  private async withSlots<T>(
    wants: number,
    task: string,
    wanted: () => boolean,
    work: (slots: Slot[]) => Promise<T>,
  ): Promise<T | null> {
    const slots = await new Promise<Slot[] | null>((take) => {
      this.waiters.push({ wants, task, wanted, take })
      this.serve()
    })
    if (slots === null) return null
    try {
      return await work(slots)
    } finally {
      for (const slot of slots) this.busy.delete(slot)
      this.free.push(...slots)
      this.free.sort((a, b) => a.index - b.index)
      this.serve()
    }
  }

  /** Strictly in order: one that wants all slots is not overtaken for ever by those that want one. */
  private serve(): void {
    for (let next = this.waiters[0]; next !== undefined; next = this.waiters[0]) {
      if (!next.wanted()) {
        this.waiters.shift()
        next.take(null)
        continue
      }
      if (this.free.length < next.wants) return
      this.waiters.shift()
      const slots = this.free.splice(0, next.wants)
      const since = performance.now()
      for (const slot of slots) this.busy.set(slot, { task: next.task, since })
      next.take(slots)
    }
  }
}
