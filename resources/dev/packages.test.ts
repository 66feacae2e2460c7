import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { packagesAreInstalled } from './packages.mjs'

const machine = { os: 'linux', cpu: 'x64', libc: 'glibc' }
const lock = {
  '': { version: '0.1.0' },
  'node_modules/plain': { version: '1.0.0' },
  'node_modules/here': { version: '2.0.0', optional: true, os: ['linux'], cpu: ['x64'], libc: ['glibc'] },
  'node_modules/musl': { version: '2.0.0', optional: true, os: ['linux'], cpu: ['x64'], libc: ['musl'] },
  'node_modules/mac': { version: '2.0.0', optional: true, os: ['darwin'] },
  'node_modules/not-windows': { version: '1.0.0', optional: true, os: ['!win32'] },
  'node_modules/helper-of-another': { version: '1.0.0', optional: true },
}
const needed = ['node_modules/plain', 'node_modules/here', 'node_modules/not-windows'] as const

/** A checkout whose lock file wants `lock` and in which `present` was installed. */
function checkout(present: Record<string, { version: string }>): string {
  const root = mkdtempSync(join(tmpdir(), 'packages-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: lock }))
  for (const path of Object.keys(present)) mkdirSync(join(root, path), { recursive: true })
  mkdirSync(join(root, 'node_modules'), { recursive: true })
  writeFileSync(join(root, 'node_modules/.package-lock.json'), JSON.stringify({ packages: present }))
  return root
}

const all = Object.fromEntries(needed.map((path) => [path, { version: lock[path].version }]))

test('what this machine needs must be there in the locked version, and nothing else', () => {
  const without = (path: string) => Object.fromEntries(Object.entries(all).filter(([key]) => key !== path))
  const gone = checkout(all)
  rmSync(join(gone, 'node_modules/plain'), { recursive: true })
  const never = checkout({})
  rmSync(join(never, 'node_modules'), { recursive: true })
  expect({
    complete: packagesAreInstalled(checkout(all), machine),
    otherVersion: packagesAreInstalled(
      checkout({ ...all, 'node_modules/plain': { version: '1.0.1' } }),
      machine,
    ),
    silentlyLeftOut: packagesAreInstalled(checkout(without('node_modules/here')), machine),
    onAnotherMachine: packagesAreInstalled(checkout(without('node_modules/here')), {
      ...machine,
      cpu: 'arm64',
    }),
    folderGone: packagesAreInstalled(gone, machine),
    never: packagesAreInstalled(never, machine),
  }).toEqual({
    complete: true,
    otherVersion: false,
    silentlyLeftOut: false,
    onAnotherMachine: true,
    folderGone: false,
    never: false,
  })
})
