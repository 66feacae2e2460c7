// Plain JavaScript without dependencies: this runs before anything is installed, on any Node from 18.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packagesAreInstalled } from './packages.mjs'
import { run, stillWorking } from './processes.mjs'

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..')

/** TypeScript without a build step, `node:sqlite` and Electron 45's own version all start here. */
const neededNode = 24

/** One clear line for the user, and the end. */
export class SetupError extends Error {}

/** @throws {SetupError} where npm cannot install. */
export async function ensurePackages(say) {
  if (packagesAreInstalled(root)) return
  const first = !existsSync(join(root, 'node_modules'))
  say(
    first
      ? 'Installing packages (first time: about a minute)'
      : 'Installing packages (the lock file changed)',
  )
  const done = stillWorking(say, 'Still installing packages')
  const { code, output, failure } = await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    capture: true,
  })
  done()
  if (code === 0 && packagesAreInstalled(root)) return
  const why = failure ?? output.trim().split('\n').slice(-4).join(' ')
  throw new SetupError(
    code === 0
      ? 'npm ci left out packages that this machine needs. Run `npm ci` by hand and look at what it says.'
      : `npm ci failed: ${why} Check the network and the npm registry setting, then start again.`,
  )
}

/**
 * The Node that runs everything else: this one where it is new enough, else the one among the installed packages.
 *
 * @throws {SetupError} where there is none; it says which to install.
 */
export function findNode() {
  const own = process.versions.node
  if (Number.parseInt(own, 10) >= neededNode) return process.execPath
  const installed = join(root, 'node_modules/.bin/node')
  const { stdout } = spawnSync(installed, ['--version'], { encoding: 'utf8' })
  if (Number.parseInt(stdout?.slice(1) ?? '', 10) >= neededNode) return installed
  const how =
    process.platform === 'darwin'
      ? `Install it with \`brew install node@${neededNode}\` or from https://nodejs.org (the LTS installer)`
      : `Install it from https://nodejs.org or with your version manager`
  throw new SetupError(
    `Ringside needs Node ${neededNode} or later; this is ${own}. ${how}, then run the command again.`,
  )
}

/** An environment in which `node` and the installed tools are found first, by scripts and by what they start. */
export function environment(node) {
  const path = [dirname(node), join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  return { ...process.env, PATH: path }
}

/** Builds what changed. @throws {SetupError} where the build fails; its own output was shown. */
export async function build(node, say) {
  const { code, output } = await run(node, ['resources/dev/build.ts'], {
    cwd: root,
    env: environment(node),
    capture: true,
    onOutput: (text) => {
      for (const line of text.split('\n')) if (/: (building|built in .*)$/.test(line)) say(line)
    },
  })
  if (code !== 0) throw new SetupError(`The build failed:\n${output}`)
}
