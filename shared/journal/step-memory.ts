import type { Member } from './step-rollup.ts'

/** Where a reducer keeps the rollouts of closed steps: they are rarely wanted again, and a long run has very many. */
export type StepMemory = {
  keep(step: number, members: Map<string, Member>): void
  /** Empty where nothing was kept. */
  recall(step: number): Map<string, Member>
}

/** Keeps them as text, about 100 bytes a rollout: a third of what the objects take. */
export class PackedSteps implements StepMemory {
  private readonly packed = new Map<number, string>()

  keep(step: number, members: Map<string, Member>): void {
    this.packed.set(step, JSON.stringify([...members]))
  }

  recall(step: number): Map<string, Member> {
    return new Map(JSON.parse(this.packed.get(step) ?? '[]') as [string, Member][])
  }
}
