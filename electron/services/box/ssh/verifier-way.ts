import type { Disposable } from '#shared/base/disposable.ts'

/** How a run on a box reaches its verifier here: opened once at the launch, and kept up while this console is open. */
export type VerifierWay = Disposable & {
  /** Makes the way and writes the address into the run's folder on the box; doing it again is harmless. @throws {AppError} where it cannot be made. */
  open(): Promise<unknown>
  /** Sees to it that it stays, over every new connection, until disposed of. */
  keepUp(): void
}
