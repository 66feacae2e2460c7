// Plain JavaScript without dependencies: this runs before anything is installed, on any Node from 18.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Whether every package that the lock file wants on this machine is there, in the locked version.
 *
 * @param {string} root the checkout
 * @param {{os: string, cpu: string, libc: string | null}} machine in npm's words
 */
export function packagesAreInstalled(root, machine = thisMachine()) {
  const wanted = readLock(join(root, 'package-lock.json'))
  const present = readLock(join(root, 'node_modules/.package-lock.json'))
  if (wanted === null || present === null) return false
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || !isWanted(entry, machine)) return true
    return present[path]?.version === entry.version && existsSync(join(root, path))
  })
}

/**
 * npm leaves an optional package out without a word when it does not fit the machine. Those that name a system must be there where they
 * fit; those that name none only serve one that does.
 */
function isWanted(entry, { os, cpu, libc }) {
  if (!entry.optional) return true
  if (!entry.os && !entry.cpu) return false
  return fits(entry.os, os) && fits(entry.cpu, cpu) && (libc === null || fits(entry.libc, libc))
}

function fits(allowed, value) {
  if (!allowed) return true
  const list = [allowed].flat()
  if (list.includes(`!${value}`)) return false
  const positive = list.filter((item) => !item.startsWith('!'))
  return positive.length === 0 || positive.includes(value)
}

function thisMachine() {
  const glibc = process.report?.getReport().header.glibcVersionRuntime
  const libc = process.platform !== 'linux' ? null : glibc ? 'glibc' : 'musl'
  return { os: process.platform, cpu: process.arch, libc }
}

function readLock(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch {
    return null
  }
}
