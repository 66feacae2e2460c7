import { readFileSync } from 'node:fs'

/**
 * Whether a container engine holds this very process: Kubernetes tells so in the environment, others by the name of the control group. Marker
 * files of engines are not believed: a machine whose disk was once an image keeps them, and nothing holds anything there.
 */
export function inContainer(): boolean {
  if (process.platform !== 'linux') return false
  if (process.env.KUBERNETES_SERVICE_HOST !== undefined) return true
  try {
    return /kubepods|docker|libpod|containerd|crio/.test(readFileSync('/proc/self/cgroup', 'utf8'))
  } catch {
    return false
  }
}
