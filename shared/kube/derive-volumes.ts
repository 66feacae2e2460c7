import type { DeriveNote } from './derive.ts'
import type { ConfigMaps, Volume } from './objects.ts'

export type OwnConfigMap = { name: string; data: Record<string, string> }

export type DerivedVolumes = { volumes: Volume[]; configMaps: OwnConfigMap[]; notes: DeriveNote[] }

/**
 * Volumes of a copy: a mounted ConfigMap, whose changes would reach a running pod, becomes an unchangeable copy of the run's own; a claim,
 * which two verifiers must not both write, becomes an empty folder; a token for the cluster's API goes.
 */
export function deriveVolumes(volumes: Volume[], configMaps: ConfigMaps, name: string): DerivedVolumes {
  const made: DerivedVolumes = { volumes: [], configMaps: [], notes: [] }
  for (const volume of volumes) {
    const own = deriveVolume(volume, configMaps, name, made)
    if (own) made.volumes.push(own)
  }
  return made
}

function deriveVolume(
  volume: Volume,
  configMaps: ConfigMaps,
  name: string,
  made: DerivedVolumes,
): Volume | null {
  const note = (level: DeriveNote['level'], text: string) =>
    made.notes.push({ level, path: `volumes.${volume.name}`, text })
  if (volume.configMap) {
    const data = configMaps[volume.configMap.name]
    if (!data) {
      note('warning', `ConfigMap ${volume.configMap.name} could not be read, so it is still the shared one`)
      return volume
    }
    const own = `${name}-config-${made.configMaps.length + 1}`
    made.configMaps.push({ name: own, data })
    return { ...volume, configMap: { ...volume.configMap, name: own } }
  }
  if (volume.persistentVolumeClaim) {
    note(
      'info',
      `claim ${volume.persistentVolumeClaim.claimName} is shared; the copy starts with an empty folder`,
    )
    return { name: volume.name, emptyDir: {} }
  }
  if (volume.secret) note('warning', `still reads the shared Secret ${volume.secret.secretName ?? ''}`)
  if (volume.hostPath) note('warning', `reads ${volume.hostPath.path} of the node`)
  if (!volume.projected) return volume
  const sources = (volume.projected.sources ?? []).filter((source) => !('serviceAccountToken' in source))
  if (sources.some((source) => 'configMap' in source || 'secret' in source))
    note('warning', 'still projects shared configuration')
  return sources.length === 0 ? null : { ...volume, projected: { ...volume.projected, sources } }
}
