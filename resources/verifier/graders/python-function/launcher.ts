import type { ChildProcess } from 'node:child_process'
import type { Isolation } from '#shared/domain/grade.ts'
import type { Limits } from '#shared/domain/suite.ts'
import { bootstrap } from './sources.ts'

/** How programs are held in on this machine, decided once at start. */
export type Launcher = {
  isolation: Isolation
  detail: string
  /** The folder that a program may write, as it sees it. `slot` keeps programs that run at once apart where there is no sandbox. */
  tmpOf(slot: number): string
  /** What a program may open without being said to reach outside. */
  readable: string[]
  /** Filters that each child puts on itself. */
  childFilters: Buffer[]
  /** RLIMIT_NPROC counts all of a user's processes on old kernels and elsewhere, and nothing for root: then 0, no such limit. */
  processLimit(limits: Limits): number
  /** Size of the folder that a program may write. */
  tmpBytes(limits: Limits): number
  /** Kill it with `kill`. stdin and stdout are the wire, stderr is for the log. */
  start(slot: number, limits: Limits): ChildProcess
  kill(child: ChildProcess): void
  dispose(): void
}

/** Room for a few files as large as one may be. */
export const tmpfsBytes = (limits: Limits) => limits.fileBytes * 4

/** Nothing of a person's own setting, no site packages, nothing written beside the sources; then the harness, from stdin. */
export const pythonFlags = ['-I', '-S', '-B', '-u', '-X', 'utf8', '-W', 'ignore', '-c', bootstrap]
