import type { ChildProcess } from 'node:child_process'
import type { Limits } from '#shared/domain/suite.ts'
import type { Launcher } from './launcher.ts'
import { pack } from './wire.ts'

/** How long a sandbox waits for a program: long enough between two of a batch, short enough to leave nothing standing about after it. */
const waitMs = 3_000

/** A sandbox with its supervisor on its way up; it has met no program yet. */
export type Sandbox = { process: ChildProcess; ahead: boolean }

type Waiting = { process: ChildProcess; tmpBytes: number; timer: NodeJS.Timeout }

export function startSandbox(launcher: Launcher, harness: Buffer, slot: number, limits: Limits): Sandbox {
  const process = launcher.start(slot, limits)
  // One that ends early closes its stdin under us, and one that never starts says so; both are told to who uses it.
  process.stdin?.on('error', () => undefined)
  process.on('error', () => undefined)
  process.stdin?.write(pack(harness))
  return { process, ahead: false }
}

/**
 * Starts the sandbox of a slot's next program while its present one runs: coming up takes longer than ten inputs. Each serves one program,
 * like any other. Without isolation there is none ahead, as there the programs of a slot share their folder.
 */
export class Standby {
  private readonly waiting = new Map<number, Waiting>()
  private readonly launcher: Launcher
  private readonly harness: Buffer
  private ended = false

  constructor(launcher: Launcher, harness: Buffer) {
    this.launcher = launcher
    this.harness = harness
  }

  /** The one that waits, if it is fit for these limits and alive, else a new one. */
  take(slot: number, limits: Limits): Sandbox {
    const { process, tmpBytes } = this.withdraw(slot) ?? {}
    if (process !== undefined) {
      const alive = process.pid !== undefined && process.exitCode === null && process.signalCode === null
      if (alive && tmpBytes === this.launcher.tmpBytes(limits)) return { process, ahead: true }
      this.launcher.kill(process)
    }
    return startSandbox(this.launcher, this.harness, slot, limits)
  }

  /** Has one wait for the slot's next program, which likely has the same limits. */
  prepare(slot: number, limits: Limits): void {
    if (this.ended || this.launcher.isolation !== 'sandbox' || this.waiting.has(slot)) return
    const { process } = startSandbox(this.launcher, this.harness, slot, limits)
    const timer = setTimeout(() => {
      this.withdraw(slot)
      this.launcher.kill(process)
    }, waitMs)
    this.waiting.set(slot, { process, tmpBytes: this.launcher.tmpBytes(limits), timer })
  }

  dispose(): void {
    this.ended = true
    for (const slot of [...this.waiting.keys()]) {
      const waiting = this.withdraw(slot)
      if (waiting !== undefined) this.launcher.kill(waiting.process)
    }
  }

  private withdraw(slot: number): Waiting | undefined {
    const waiting = this.waiting.get(slot)
    clearTimeout(waiting?.timer)
    this.waiting.delete(slot)
    return waiting
  }
}
