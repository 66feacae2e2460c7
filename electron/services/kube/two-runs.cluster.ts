import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RunEvent } from '#shared/journal/events.ts'
import { deletePod, testClient, testNamespace, until } from '../../testing/cluster/cluster.ts'
import {
  clusterEnv,
  commits,
  launchUnchecked,
  makeWritable,
  manifestDraft,
} from '../../testing/cluster/console.ts'
import { execInPod, meddle, sharedName, shareVerifier } from '../../testing/cluster/shared-verifier.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import type { OpenCore } from '../core/core.ts'
import { eventsIn, openConsole, smallRun, takeDown } from '../core/faults/testing.ts'
import type { KubeClient } from './client.ts'
import { findOurs } from './sweep.ts'

type Bench = Awaited<ReturnType<typeof twoRuns>>
type Going = { run: string; pods(): Promise<string[]>; events(): Promise<RunEvent[]> }

/** Two runs that would go on for long, each with a verifier of its own made from the shared one, at different commits. */
async function twoRuns() {
  const client = await testClient()
  const namespace = await testNamespace(client)
  await shareVerifier(client, namespace)
  const home = await tempFolder()
  const core = await openConsole(home, clusterEnv())
  await makeWritable(core)
  const launch = async (commit: string, seed: number): Promise<Going> => {
    const base = await manifestDraft(namespace, { commit })
    const resources = { ...base.resources, memoryLimit: '192Mi', diskLimit: '64Mi', diskRequest: '16Mi' }
    const verifier = { ...base, resources, from: { kind: 'copy', deployment: sharedName } as const }
    const draft = { ...smallRun, seed, updates: 2_000, paceMs: 300, audit: null, verifier }
    const run = await launchUnchecked(core, home, draft)
    return {
      run,
      pods: async () => (await core.handlers['clusters.timeline']({ run })).replicas.map((one) => one.pod),
      events: () => eventsIn(join(core.parts.box.folder(run), 'events.jsonl')),
    }
  }
  return {
    client,
    namespace,
    core,
    home,
    hit: await launch(commits.first, 5),
    other: await launch(commits.second, 6),
  }
}

const count = async (going: Going, type: RunEvent['type']) =>
  (await going.events()).filter((event) => event.type === type).length

/** Does something to the hit run's verifier and waits until the run was blocked by it and trains again. */
async function survives({ hit }: Bench, harm: (pod: string) => Promise<void>): Promise<void> {
  await until(async () => (await count(hit, 'step.finished')) >= 1)
  const before = await count(hit, 'verifier.unblocked')
  await harm((await hit.pods())[0] ?? '')
  await until(async () => (await count(hit, 'verifier.unblocked')) > before)
  const steps = await count(hit, 'step.finished')
  await until(async () => (await count(hit, 'step.finished')) > steps)
}

/** Every training grade of whole steps, as the run's journal has it at last. */
async function gradesOf(going: Going, steps: number) {
  const last = new Map<string, unknown>()
  for (const event of await going.events()) {
    if (event.type !== 'rollout.graded' || event.rollout.includes('/eval/')) continue
    const [, step] = event.rollout.split('/')
    if (Number(step) < steps)
      last.set(event.rollout.slice(going.run.length), [event.grade.status, event.grade.reward])
  }
  return Object.fromEntries([...last].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The same run, undisturbed, on this machine alone. */
async function undisturbed({ core, home }: Bench, seed: number, updates: number): Promise<Going> {
  const run = await launchUnchecked(core, home, { ...smallRun, seed, updates, audit: null })
  await until(() => core.parts.store.summary(run).phase === 'finished')
  return {
    run,
    pods: async () => [],
    events: () => eventsIn(join(core.parts.box.folder(run), 'events.jsonl')),
  }
}

/** What the run's own verifier finished, and whether anything of it twice. */
async function executionsOf(core: OpenCore, run: string) {
  const text = await readFile(join(core.parts.box.folder(run), 'verifier', 'executions.jsonl'), 'utf8')
  const finished = text
    .split('\n')
    .filter((line) => line.includes('"finished"'))
    .map((line) => (JSON.parse(line) as { key: string }).key)
  return { finished: finished.length, twice: finished.length - new Set(finished).size }
}

async function verdict(bench: Bench) {
  const { core, hit, other } = bench
  for (const { run } of [hit, other]) await core.handlers['runs.stop']({ run, mode: 'after_step' })
  await until(() => [hit, other].every(({ run }) => core.parts.store.summary(run).phase === 'finished'))
  const steps = Math.min(await count(hit, 'step.finished'), 8)
  const same = await undisturbed(bench, 5, steps)
  expect(await gradesOf(hit, steps)).toEqual(await gradesOf(same, steps))
  const silent = (await hit.events()).flatMap((event) =>
    event.type === 'rollout.graded' && event.grade.reward === null ? [event.total] : [],
  )
  return {
    otherNoticed: await count(other, 'verifier.blocked'),
    otherNulls: core.parts.store.summary(other.run).nullRewards,
    zerosForSilence: silent.filter((total) => total !== null),
    twice: [(await executionsOf(core, hit.run)).twice, (await executionsOf(core, other.run)).twice],
    gaps: core.parts.store.evidenceGaps(hit.run),
  }
}

const clean = { otherNoticed: 0, otherNulls: 0, zerosForSilence: [], twice: [0, 0], gaps: [] }

async function takeAllDown(bench: Bench) {
  const { core, client, hit, other } = bench
  for (const { run } of [hit, other]) expect((await takeDown(core, run)).left).toEqual([])
  expect((await findOurs(client, bench.namespace)).objects).toEqual([])
}

/** More processes than fit, each smaller than the verifier, which is then what the kernel takes. */
const useMemory =
  'for i in 1 2 3 4 5 6 7 8; do (head -c 24000000 /dev/zero | tail | sleep 20) & done; sleep 8'

const podFailed = (client: KubeClient, namespace: string, pod: string) =>
  client.json(`/api/v1/namespaces/${namespace}/pods/${pod}`).then(
    (found) => (found as { status: { reason?: string } }).status.reason === 'Evicted',
    () => true,
  )

test('one verifier is restarted, killed for its memory and deleted, the shared one changed: the other run never notices, the hit one waits and goes on', {
  timeout: 400_000,
}, async () => {
  const bench = await twoRuns()
  const { client, namespace, core, hit, other } = bench
  await survives(bench, (pod) => execInPod(client, namespace, pod, 'kill -TERM 1'))
  await survives(bench, (pod) => execInPod(client, namespace, pod, useMemory))
  const pods = await other.pods()
  await meddle(client, namespace)
  await survives(bench, (pod) => deletePod(client, namespace, pod))
  const told = () => core.handlers['clusters.timeline']({ run: hit.run })
  // The run goes on as soon as its new pod grades; the console asks that pod for its commit on its own round.
  await until(async () => (await told()).replicas.every((replica) => replica.commit !== null))
  const timeline = await told()
  const kinds = new Set(timeline.marks.map((mark) => mark.kind))
  expect({
    ...(await verdict(bench)),
    marks: ['restarted', 'oom_killed', 'deleted'].filter((kind) => kinds.has(kind as 'restarted')),
    commits: timeline.replicas.map((replica) => replica.commit),
    otherPods: await other.pods(),
  }).toEqual({
    ...clean,
    marks: ['restarted', 'oom_killed', 'deleted'],
    commits: [commits.first],
    otherPods: pods,
  })
  await takeAllDown(bench)
})

test('one verifier is evicted for its disk: its run waits for the next pod and goes on', {
  timeout: 400_000,
}, async () => {
  const bench = await twoRuns()
  const { client, namespace, core, hit } = bench
  await survives(bench, async (pod) => {
    await execInPod(client, namespace, pod, 'dd if=/dev/zero of=/data/fill bs=1000000 count=90')
    await until(() => podFailed(client, namespace, pod))
  })
  const { marks } = await core.handlers['clusters.timeline']({ run: hit.run })
  expect({
    ...(await verdict(bench)),
    evicted: marks.filter((mark) => mark.kind === 'evicted').map((mark) => mark.level),
  }).toEqual({ ...clean, evicted: ['error'] })
  await takeAllDown(bench)
})
