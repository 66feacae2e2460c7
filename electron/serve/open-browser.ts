import { spawn } from 'node:child_process'

/** The program that opens an address on this machine, or null where no desktop is known to be there. */
export function browserOpener(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string | null {
  if (platform === 'darwin') return 'open'
  // Without a display xdg-open would start a text browser in this very terminal.
  return env.DISPLAY || env.WAYLAND_DISPLAY ? 'xdg-open' : null
}

/**
 * Opens `url` in the user's browser.
 *
 * @returns whether an opener could be started; where not, the caller prints the address for the user to open.
 */
export function openBrowser(url: string, platform = process.platform, env = process.env): Promise<boolean> {
  const opener = browserOpener(platform, env)
  if (opener === null) return Promise.resolve(false)
  return new Promise((resolve) => {
    const child = spawn(opener, [url], { stdio: 'ignore', detached: true })
    child.once('error', () => resolve(false))
    child.once('spawn', () => resolve(true))
    child.unref()
  })
}
