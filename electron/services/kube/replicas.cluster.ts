import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deletePod, testClient, testNamespace, until } from '../../testing/cluster/cluster.ts'
import {
  clusterEnv,
  commits,
  launchUnchecked,
  makeWritable,
  manifestDraft,
} from '../../testing/cluster/console.ts'
import { sharedName, shareVerifier } from '../../testing/cluster/shared-verifier.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import { eventsIn, openConsole, smallRun, takeDown } from '../core/faults/testing.ts'
import { findOurs } from './sweep.ts'

test('three replicas, one deleted mid-batch: every id has one grade, nothing was executed twice, and the run never waited', async () => {
  const client = await testClient()
  const namespace = await testNamespace(client)
  const home = await tempFolder()
  const core = await openConsole(home, clusterEnv())
  await makeWritable(core)
  const verifier = await manifestDraft(namespace, { replicas: 3 })
  const draft = { ...smallRun, updates: 6, groupsPerStep: 12, workers: 1, audit: null, verifier }
  const run = await launchUnchecked(core, home, draft)
  const folder = core.parts.box.folder(run)
  const events = () => eventsIn(join(folder, 'events.jsonl'))
  const replicas = async () => (await core.handlers['clusters.timeline']({ run })).replicas
  // What each says of itself is heard by the run's own verifier first.
  await until(async () => (await replicas()).every((replica) => replica.commit !== null))
  const before = await replicas()
  // In the middle of a batch: some of a step's rollouts have their grade, others wait for it.
  await until(async () => {
    const seen = await events()
    const step = seen.findLast((event) => event.type === 'step.started')
    const graded = seen.filter((event) => step && event.type === 'rollout.graded' && event.seq > step.seq)
    return step !== undefined && graded.length > 2 && graded.length < 40
  })
  await deletePod(client, namespace, before[0]?.pod ?? '')
  await until(() => core.parts.store.summary(run).phase === 'finished')
  await core.parts.store.fetchMissing(run)
  const graded = (await events()).flatMap((event) => (event.type === 'rollout.graded' ? [event] : []))
  const text = await readFile(join(folder, 'verifier', 'executions.jsonl'), 'utf8')
  const keys = text
    .split('\n')
    .flatMap((line) => (line.includes('"finished"') ? [JSON.parse(line).key as string] : []))
  const after = await replicas()
  const { outcome, nullRewards } = core.parts.store.summary(run)
  expect({
    replicas: before.map(({ state, commit }) => [state, commit]),
    outcome,
    nullRewards,
    twiceGraded: graded.length - new Set(graded.map((event) => event.rollout)).size,
    twiceExecuted: keys.length - new Set(keys).size,
    blocked: (await events()).filter((event) => event.type === 'verifier.blocked').length,
    worked: after.filter(({ state, graded: done }) => state === 'ready' && (done ?? 0) > 0).length >= 2,
    gaps: core.parts.store.evidenceGaps(run),
  }).toEqual({
    replicas: [1, 2, 3].map(() => ['ready', commits.first]),
    outcome: 'completed',
    nullRewards: 0,
    twiceGraded: 0,
    twiceExecuted: 0,
    blocked: 0,
    worked: true,
    gaps: [],
  })
  expect((await takeDown(core, run)).left).toEqual([])
  expect((await findOurs(client, namespace)).objects).toEqual([])
})

test('a shared verifier is used by one run knowingly, and refused to the next while that one holds it', async () => {
  const client = await testClient()
  const namespace = await testNamespace(client)
  await shareVerifier(client, namespace)
  const home = await tempFolder()
  const core = await openConsole(home, clusterEnv())
  await makeWritable(core)
  const base = await manifestDraft(namespace)
  const verifier = { ...base, from: { kind: 'shared', deployment: sharedName } as const }
  const draft = { ...smallRun, audit: null, verifier }
  const first = await launchUnchecked(core, home, draft)
  await expect(launchUnchecked(core, home, draft)).rejects.toMatchObject({
    code: 'kube_conflict',
    message: 'Another run uses the shared verifier verifier, and no two may.',
  })
  await until(() => core.parts.store.summary(first).phase === 'finished')
  const { released, left } = await takeDown(core, first)
  expect({
    outcome: core.parts.store.summary(first).outcome,
    kinds: released.map((row) => row.kind).filter((kind) => kind === 'hold' || kind === 'deployment'),
    left,
  }).toEqual({ outcome: 'completed', kinds: ['hold'], left: [] })
})
