import type { GradeJob, Slot, Verdict } from '../grader.ts'
import type { SlotFolders } from './confinement.ts'
import type { SlotTree } from './slot-tree.ts'

/** The grader's side of a slot: everything that takes a body to a verdict in it. */
export type Bench = {
  grade(slot: CargoSlot, task: string, body: string, signal: AbortSignal, checked: boolean): Promise<Verdict>
}

/** One worker's worktree and target folder. One body at a time is in it; whoever comes meanwhile waits. */
export class CargoSlot implements Slot {
  readonly index: number
  readonly folders: SlotFolders
  readonly tree: SlotTree
  cache: 'warm' | 'cold' = 'cold'
  private readonly bench: Bench
  private readonly ended = new AbortController()
  private last: Promise<unknown> = Promise.resolve()

  constructor(index: number, folders: SlotFolders, tree: SlotTree, bench: Bench) {
    this.index = index
    this.folders = folders
    this.tree = tree
    this.bench = bench
  }

  grade(job: GradeJob): Promise<Verdict> {
    return this.alone((signal) => this.bench.grade(this, job.task, job.body, signal, true), job.signal)
  }

  gradeUnchecked(task: string, body: string, signal: AbortSignal): Promise<Verdict> {
    return this.alone((both) => this.bench.grade(this, task, body, both, false), signal)
  }

  /** Runs `work` when everything before it in this slot has ended. */
  alone<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const both = AbortSignal.any([signal, this.ended.signal])
    const next = this.last.then(() => {
      both.throwIfAborted()
      return work(both)
    })
    this.last = next.catch(() => undefined)
    return next
  }

  async dispose(): Promise<void> {
    this.ended.abort(new Error('the slot was closed'))
    await this.last
  }
}
