/**
 * At most one call of `work` at a time: any number of calls meanwhile become exactly one more after it, so that the last word is always
 * fetched and a slow core is never flooded. `work` must not reject.
 */
export function singleFlight(work: () => Promise<void>): () => void {
  let running = false
  let again = false
  const run = async () => {
    running = true
    do {
      again = false
      await work()
    } while (again)
    running = false
  }
  return () => {
    if (running) again = true
    else void run()
  }
}
