import { existsSync } from 'node:fs'

/** Why a cluster cannot be made on this machine, in one sentence; null where it can. */
export function whyNot(): string | null {
  if (process.platform !== 'linux')
    return `A Kubernetes of its own is made on Linux only; this is ${process.platform}`
  if (!existsSync('/etc/debian_version') || !existsSync('/usr/bin/apt-get'))
    return 'A Kubernetes of its own is built from Debian’s source package; this is no Debian'
  if (process.getuid?.() !== 0) return 'A Kubernetes of its own needs root: it starts containers'
  return null
}
