// Plain JavaScript without dependencies: this runs before anything is installed, on any Node from 18.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { run, stillWorking } from './processes.mjs'

/** What the tests use beside npm's packages: a browser, the sandbox, an interpreter, an SSH server, and a font for screenshots. */
const needed = [
  'chromium',
  'bubblewrap',
  'python3',
  'fonts-dejavu-core',
  'openssh-server',
  'openssh-client',
  'git',
]

/**
 * Installs the Debian packages that are missing, where this is Debian and root may; else names them.
 *
 * @returns whether everything is there.
 */
export async function ensureDebianPackages(say) {
  if (process.platform !== 'linux' || !existsSync('/usr/bin/dpkg-query')) {
    say(`The tests use ${needed.join(', ')} (or what your system calls them); missing ones fail their tests.`)
    return true
  }
  const missing = needed.filter((name) => !isInstalled(name))
  if (missing.length === 0) return true
  if (process.getuid?.() !== 0) {
    say(`Missing: ${missing.join(', ')}. Install them with: sudo apt-get install ${missing.join(' ')}`)
    return false
  }
  say(`Installing Debian packages: ${missing.join(', ')}`)
  const done = stillWorking(say, 'Still installing Debian packages')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const update = await run('apt-get', ['update', '-q'], { env, capture: true })
  const install = await run('apt-get', ['install', '-qy', '--no-install-recommends', ...missing], {
    env,
    capture: true,
  })
  done()
  if (install.code === 0) return true
  const why = `${update.code === 0 ? '' : update.output}${install.output}`
    .trim()
    .split('\n')
    .slice(-3)
    .join(' ')
  say(`apt-get failed: ${why}`)
  return false
}

function isInstalled(name) {
  const { stdout } = spawnSync('dpkg-query', ['-s', name], { encoding: 'utf8' })
  return stdout?.includes('Status: install ok installed') ?? false
}
