import { expect, test } from 'vitest'
import { parsePodLogLine } from '#shared/kube/pod-log.ts'
import { testClient, testNamespace, until } from '../../testing/cluster/cluster.ts'
import {
  clusterEnv,
  commits,
  launchUnchecked,
  makeWritable,
  manifestDraft,
} from '../../testing/cluster/console.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import type { Core } from '../core/core.ts'
import { openConsole, smallRun, takeDown } from '../core/faults/testing.ts'
import { findOurs } from './sweep.ts'

test('a run trains here with its verifier in the cluster, and after the teardown nothing of it is there', async () => {
  const client = await testClient()
  const namespace = await testNamespace(client)
  const core = await openConsole(await tempFolder(), clusterEnv())
  await makeWritable(core)
  const draft = { ...smallRun, verifier: await manifestDraft(namespace) }
  const report = await core.handlers['launch.preflight']({ draft })
  const { run } = await core.handlers['launch.start']({ draft })
  await until(() => core.parts.store.summary(run).phase === 'finished')
  await core.parts.store.fetchMissing(run)
  const timeline = await core.handlers['clusters.timeline']({ run })
  const page = await core.handlers['rollouts.page']({
    run,
    filter: '',
    sort: 'order',
    cursor: null,
    skip: 0,
    limit: 100,
  })
  const podsLog = await readLog(core, run)
  const detail = await core.handlers['rollouts.get']({ rollout: page.rows[0]?.rollout ?? '' })
  expect({
    checks: report.rows.filter((row) => row.check.startsWith('cluster')).map((row) => [row.check, row.state]),
    outcome: core.parts.store.summary(run).outcome,
    nulls: core.parts.store.summary(run).nullRewards,
    commit: detail.grade?.commit,
    gaps: core.parts.store.evidenceGaps(run),
    kinds: [...new Set(timeline.marks.map((mark) => mark.kind))],
    replicas: timeline.replicas.map(({ state, commit }) => [state, commit]),
    drift: timeline.drift,
    logs: timeline.logs?.sources.map(({ container, state }) => [container, state]),
    said: podsLog.map(({ container, text }) => [container, text]),
  }).toEqual({
    checks: [
      ['cluster', 'passed'],
      ['cluster_access', 'passed'],
      ['cluster_verifier', 'passed'],
      ['cluster_names', 'passed'],
      ['cluster_commit', 'warned'],
      ['cluster_room', 'passed'],
      ['cluster_image', 'passed'],
    ],
    outcome: 'completed',
    nulls: 0,
    commit: commits.first,
    gaps: [],
    kinds: ['scheduled', 'started', 'ready'],
    replicas: [['ready', commits.first]],
    drift: null,
    logs: [['verifier', expect.stringMatching(/^(live|quiet)$/)]],
    said: expect.arrayContaining([['verifier', expect.stringContaining('{"listening":{"url":')]]),
  })
  const { released, left } = await takeDown(core, run)
  expect(left).toEqual([])
  expect(released.map((row) => row.kind)).toEqual(
    expect.arrayContaining(['deployment', 'service', 'network_policy', 'secret']),
  )
  expect(await findOurs(client, namespace)).toEqual({ objects: [], problems: [] })
  expect(await readLog(core, run)).toEqual(expect.arrayContaining(podsLog))
})

test('a commit that the remote lacks ends the launch with that reason, and leaves nothing', async () => {
  const client = await testClient()
  const namespace = await testNamespace(client)
  const core = await openConsole(await tempFolder(), clusterEnv())
  await makeWritable(core)
  const draft = { ...smallRun, verifier: await manifestDraft(namespace, { commit: commits.foreign }) }
  await expect(core.handlers['launch.start']({ draft })).rejects.toMatchObject({
    code: 'git_failed',
    message: expect.stringContaining(`Commit ${commits.foreign} is not in the remote`),
  })
  expect(await findOurs(client, namespace)).toEqual({ objects: [], problems: [] })
  expect(core.parts.ledger.all().filter((lease) => lease.state !== 'released')).toEqual([])
})

/** What the run's pods wrote, from the box or, after its teardown, from the run's record. */
async function readLog(core: Core, run: string) {
  const { bytesBase64 } = await core.handlers['logs.read']({ run, stream: 'pods', offset: 0, limit: 1 << 20 })
  const text = Buffer.from(bytesBase64, 'base64').toString('utf8')
  return text.split('\n').flatMap((line) => parsePodLogLine(line) ?? [])
}

test('a quota that lets no pod be made ends the launch with the cluster’s own words', async () => {
  const client = await testClient()
  const namespace = await testNamespace(client)
  await client.json(`/api/v1/namespaces/${namespace}/resourcequotas`, {
    method: 'POST',
    body: {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'none' },
      spec: { hard: { pods: '0' } },
    },
  })
  const home = await tempFolder()
  const core = await openConsole(home, clusterEnv())
  await makeWritable(core)
  // The quota's controller counts before it refuses.
  await until(async () => {
    const quota = await client.json(`/api/v1/namespaces/${namespace}/resourcequotas/none`)
    return (quota as { status: { hard?: object } }).status.hard !== undefined
  })
  await expect(
    launchUnchecked(core, home, { ...smallRun, audit: null, verifier: await manifestDraft(namespace) }),
  ).rejects.toMatchObject({ code: 'kube_forbidden', message: expect.stringContaining('exceeded quota') })
  expect(await findOurs(client, namespace)).toEqual({ objects: [], problems: [] })
})
