import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createCore } from '#services/core/core.ts'
import { openBrowser } from './open-browser.ts'
import { serve } from './serve.ts'

export type ShellOptions = {
  home: string
  version: string
  port: number
  /** Whether to open the user's browser; where that fails the address is only printed. */
  open: boolean
  /** What a person reads. */
  print: (line: string) => void
  rendererDir?: string
}

export type Shell = { url: string; dispose(): Promise<void> }

const builtWindow = join(import.meta.dirname, '../../out/renderer')

/**
 * The console in a browser: a core, the loopback server over it, and the address printed. The caller ends it with `dispose`; runs go on.
 *
 * @throws {AppError} as `createCore` and `serve` do.
 */
export async function startBrowserShell(options: ShellOptions): Promise<Shell> {
  const { home, version, print, port, rendererDir = builtWindow } = options
  const core = await createCore({ home, version, shell: 'browser' })
  const server = await serve({ core, rendererDir, port, log: print }).catch(async (failure: unknown) => {
    await core.dispose()
    throw failure
  })
  const url = server.freshUrl()
  print(`Ringside is open at ${url}`)
  print('The address works once, on this machine only. Ctrl-C closes the console; runs go on.')
  if (options.open && !(await openBrowser(url)))
    print('No browser could be opened from here: open the address yourself.')
  const stopAsking = offerFreshAddress(() => print(`A new address, for one use: ${server.freshUrl()}`))
  return {
    url,
    dispose: async () => {
      stopAsking()
      await server.dispose()
      await core.dispose()
    },
  }
}

/** A link is used up by the first window; Enter prints another, where somebody sits at the terminal. */
function offerFreshAddress(onEnter: () => void): () => void {
  if (!process.stdin.isTTY) return () => {}
  const lines = createInterface({ input: process.stdin })
  lines.on('line', onEnter)
  return () => lines.close()
}
