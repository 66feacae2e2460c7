import { useApp } from '../stores/app.ts'

const againMs = 1000
/** How often code that a core in reach does not give is asked for before that is called a fault. */
const tries = 3

/**
 * Loads code at its first use, through `load`, an `import()`. It comes from the core, which may be away just then: as long as it is, the code is
 * asked for again. @throws what the last import did, where the core is in reach.
 */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await load()
    } catch (fault) {
      if (tried >= tries && useApp.getState().lost === null) throw fault
      await new Promise((again) => setTimeout(again, againMs))
    }
  }
}
