// Plain JavaScript without dependencies: this runs before anything is installed, on any Node from 18.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, stillWorking } from './processes.mjs'
import { environment, root } from './setup.mjs'

/** Where Electron's package lies, and the file that remembers a failed download, so that only the first start pays for it. */
const places = {
  electron: join(root, 'node_modules/electron'),
  memory: join(root, 'node_modules/.cache/ringside/no-electron.json'),
}

/**
 * The Electron binary, downloaded where that is possible.
 *
 * @param {string} node the Node that runs Electron's own installer
 * @param {(line: string) => void} say
 * @returns {Promise<{path: string | null, why: string | null}>} its path, or why the browser must do, in one line.
 */
export async function findElectron(node, say, { retry = false, unfit = whyNoWindow(), at = places } = {}) {
  if (unfit !== null) return { path: null, why: unfit }
  const { electron, memory } = at
  const binary = () => binaryIn(electron)
  const { version } = JSON.parse(readFileSync(join(electron, 'package.json'), 'utf8'))
  if (binary() === null) {
    if (retry) rmSync(memory, { force: true })
    if (remembered(memory) === version)
      return {
        path: null,
        why: 'Electron could not be downloaded here (`npm start -- --electron` tries again)',
      }
    say(`Downloading Electron ${version} (once, about 120 MB)`)
    const done = stillWorking(say, 'Still downloading Electron')
    const { code, output } = await run(node, [join(electron, 'install.js')], {
      cwd: root,
      env: environment(node),
      capture: true,
    })
    done()
    if (code !== 0 || binary() === null) {
      mkdirSync(join(memory, '..'), { recursive: true })
      writeFileSync(memory, JSON.stringify({ version }))
      return { path: null, why: `Electron could not be downloaded (${reason(output)})` }
    }
  }
  return { path: binary(), why: null }
}

/** @returns {string | null} */
function whyNoWindow() {
  if (process.platform !== 'linux') return null
  if (!process.env.DISPLAY && !process.env.WAYLAND_DISPLAY)
    return 'There is no display for a window of its own'
  // Chromium refuses to run its sandbox as root, and a window without the sandbox is no option.
  return process.getuid?.() === 0 ? 'Electron does not run as root' : null
}

function binaryIn(electron) {
  try {
    const path = join(electron, 'dist', readFileSync(join(electron, 'path.txt'), 'utf8'))
    return existsSync(path) ? path : null
  } catch {
    return null
  }
}

function remembered(memory) {
  try {
    return JSON.parse(readFileSync(memory, 'utf8')).version
  } catch {
    return null
  }
}

/** The error's own line, without the stack that follows it. */
const reason = (output) =>
  output
    .split('\n')
    .find((line) => /^\w*Error\b/.test(line))
    ?.trim()
    .slice(0, 120) ?? 'no reason given'
