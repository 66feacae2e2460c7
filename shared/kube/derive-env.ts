import type { DeriveNote } from './derive.ts'
import type { ConfigMaps, Container, EnvVar } from './objects.ts'

/** What a variable that names a commit is called. */
const commitName = /(^|_)(COMMIT|COMMIT_SHA|REVISION|GIT_SHA|GIT_REF|SHA)$/
const remoteName = /(^|_)(REMOTE|REPO|REPOSITORY|GIT_URL)$/
const fullHash = /^[0-9a-f]{40}([0-9a-f]{24})?$/

export type PinnedEnv = { env: EnvVar[]; notes: DeriveNote[] }

/**
 * A container's environment with every value that came from a ConfigMap as a literal: a change of shared configuration then reaches no run.
 * Secrets stay references, for their values belong in no Deployment, and are said.
 */
export function pinnedEnv(container: Container, configMaps: ConfigMaps): PinnedEnv {
  const notes: DeriveNote[] = []
  const warn = (path: string, text: string) => notes.push({ level: 'warning', path, text })
  const at = `containers.${container.name}`
  const env = new Map<string, EnvVar>()
  for (const source of container.envFrom ?? []) {
    const map = source.configMapRef?.name
    if (map === undefined) continue
    const data = configMaps[map]
    if (!data) warn(`${at}.envFrom.${map}`, `ConfigMap ${map} could not be read; its variables are missing`)
    for (const [key, value] of Object.entries(data ?? {})) {
      const name = `${source.prefix ?? ''}${key}`
      env.set(name, { name, value })
    }
  }
  for (const variable of container.env ?? []) {
    env.set(
      variable.name,
      pinned(variable, configMaps, (text) => warn(`${at}.env.${variable.name}`, text)),
    )
  }
  return { env: [...env.values()], notes }
}

function pinned(variable: EnvVar, configMaps: ConfigMaps, warn: (text: string) => void): EnvVar {
  const reference = variable.valueFrom?.configMapKeyRef
  const secret = variable.valueFrom?.secretKeyRef
  if (secret) warn(`still comes from the shared Secret ${secret.name}, key ${secret.key}`)
  if (!reference) return variable
  const value = configMaps[reference.name]?.[reference.key]
  if (value !== undefined) return { name: variable.name, value }
  if (reference.optional === true) return { name: variable.name, value: '' }
  warn(`ConfigMap ${reference.name} has no readable key ${reference.key}; the value is empty`)
  return { name: variable.name, value: '' }
}

/** Secrets that stay shared, kept as they were. */
export const secretSources = (container: Container) =>
  (container.envFrom ?? []).filter((source) => source.secretRef !== undefined)

/** The variable that says the commit: one that is called so, or else one that holds a full hash; ours where there is none. */
export function commitVariableOf(env: EnvVar[]): string {
  const named = env.find(({ name }) => commitName.test(name))
  const holding = env.find(({ value }) => value !== undefined && fullHash.test(value))
  return (named ?? holding)?.name ?? 'RINGSIDE_COMMIT'
}

export const remoteOf = (env: EnvVar[]): string | null =>
  env.find(({ name, value }) => remoteName.test(name) && value)?.value ?? null

/** With these set, in place of whatever they were. */
export function withValues(env: EnvVar[], values: Record<string, string | null>): EnvVar[] {
  const set = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null)
  const names = new Set(set.map(([name]) => name))
  return [...env.filter(({ name }) => !names.has(name)), ...set.map(([name, value]) => ({ name, value }))]
}
