/** Kills -9 the process of that number. No number is an error: to the system, 0 means the caller's own family. */
export function killKnown(pid: number | null | undefined): void {
  if (!pid) throw new Error('There is no process to kill.')
  process.kill(pid, 'SIGKILL')
}
