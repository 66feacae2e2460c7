import type { OpenCore } from '#services/core/core.ts'
import { dataFolder } from '#services/core/data-folder.ts'
import manifest from '../../package.json' with { type: 'json' }

/**
 * Opens the data folder for one command and lets it go again, whatever happens. `stopped` fires on Ctrl-C or TERM: the command then ends what
 * it began; a second signal ends it at once.
 */
export async function withCore<T>(
  work: (core: OpenCore, stopped: AbortSignal) => Promise<T>,
  onNotice: (text: string) => void = (text) => process.stderr.write(`${text}\n`),
): Promise<T> {
  // Loaded here and not above: help and bad input should not wait for all of the core.
  const { createCore } = await import('#services/core/core.ts')
  const core = await createCore({
    home: dataFolder(),
    shell: 'command',
    version: manifest.version,
    onNotice: ({ text }) => onNotice(text),
  })
  const { signal, forget } = stopSignal()
  try {
    return await work(core, signal)
  } finally {
    await core.dispose()
    forget()
  }
}

/** Turns the first INT or TERM into an abort; the second has its usual effect. */
export function stopSignal(): { signal: AbortSignal; forget: () => void } {
  const controller = new AbortController()
  const stop = () => {
    forget()
    controller.abort()
  }
  const forget = () => {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return { signal: controller.signal, forget }
}
