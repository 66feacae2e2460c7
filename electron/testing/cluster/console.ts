import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenCore } from '#services/core/core.ts'
import { rooms } from '#services/core/data-folder.ts'
import { loadKubeconfig } from '#services/kube/kubeconfig.ts'
import { launch } from '#services/runs/launch.ts'
import { clusterKey } from '#shared/domain/cluster.ts'
import type { ClusterVerifierDraft } from '#shared/domain/placement.ts'
import type { LaunchDraft } from '#shared/ipc/contract.ts'
import { images, ownCluster, testKubeconfig } from './cluster.ts'

/** Commits of the verifier's image; see `e2e/cluster/verifier-suites.ts`. */
export const commits = JSON.parse(readFileSync(join(ownCluster ?? '', 'commits.json'), 'utf8')) as Record<
  'first' | 'second' | 'foreign',
  string
>

export const clusterEnv = (): NodeJS.ProcessEnv => ({ ...process.env, KUBECONFIG: testKubeconfig() })

export async function testContext(): Promise<string> {
  return (await loadKubeconfig(clusterEnv())).current ?? ''
}

/** Switches the test's cluster on in this console, as a person would. */
export async function makeWritable(core: OpenCore): Promise<void> {
  const context = await testContext()
  const { contexts } = await core.handlers['clusters.list']({})
  const found = contexts.find((one) => one.context === context)
  if (!found?.server) throw new Error('the test’s kubeconfig leads nowhere')
  await core.handlers['clusters.setWritable']({
    cluster: clusterKey({ server: found.server, caSha256: found.caSha256 }),
    writable: true,
  })
}

/** A verifier after the project's own manifest, with the image of the tests, pinned to one of its commits. */
export async function manifestDraft(
  namespace: string,
  changes: Partial<ClusterVerifierDraft> & { suite?: string } = {},
): Promise<ClusterVerifierDraft> {
  const { suite = 'booking/weak', ...rest } = changes
  return {
    kind: 'cluster',
    context: await testContext(),
    namespace,
    from: {
      kind: 'manifest',
      image: images.verifier,
      pullPolicy: 'Never',
      remote: '/opt/ringside/suites.git',
      suite,
    },
    commit: commits.first,
    replicas: 1,
    isolation: null,
    resources: {
      cpuRequest: '50m',
      cpuLimit: '2',
      memoryRequest: '64Mi',
      memoryLimit: '512Mi',
      diskRequest: '64Mi',
      diskLimit: '512Mi',
    },
    ...rest,
  }
}

/** Launches without the checks before it, which take a verifier of their own and half a minute on a busy machine. */
export async function launchUnchecked(
  core: OpenCore,
  home: string,
  changes: Partial<LaunchDraft>,
): Promise<string> {
  const { defaults, suites } = await core.handlers['launch.options']({})
  const pathOf = (name: string | null) => suites.find((suite) => suite.name === name)?.path ?? name
  const draft = { ...defaults, ...changes }
  const run = await launch(
    {
      ...core.parts,
      home,
      runsDir: rooms(home).runs,
      suitesDir: join(home, 'suites'),
      now: () => new Date(),
      random: Math.random,
    },
    { ...draft, suite: pathOf(draft.suite) ?? '', audit: pathOf(draft.audit) },
    [],
  )
  core.parts.runs.attach(run)
  return run
}
