import { expect, onTestFinished, test } from 'vitest'
import {
  control,
  ownCluster,
  startPod,
  testClient,
  testNamespace,
  until,
} from '../../testing/cluster/cluster.ts'
import { clusterEnv, launchUnchecked, makeWritable, manifestDraft } from '../../testing/cluster/console.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import { openConsole, smallRun, takeDown } from '../core/faults/testing.ts'
import { LogFollower } from './logs/follower.ts'
import { openForward } from './reach/forward.ts'
import { findOurs } from './sweep.ts'

const outageMs = 30_000

test.skipIf(ownCluster === null)(
  'half a minute without the API server: log, forward, watch and run each say so, the console answers, and all go on (needs a cluster of our own)',
  async () => {
    const client = await testClient()
    const namespace = await testNamespace(client)
    const home = await tempFolder()
    const core = await openConsole(home, clusterEnv())
    await makeWritable(core)
    const verifier = await manifestDraft(namespace)
    const draft = { ...smallRun, updates: 2_000, paceMs: 200, audit: null, verifier }
    const run = await launchUnchecked(core, home, draft)
    const steps = () => core.parts.store.summary(run).step ?? 0

    const counted = `i=0; while [ $i -lt 400 ]; do i=$((i+1)); echo "line $i"; sleep 0.1; done`
    await startPod(client, namespace, {
      name: 'count',
      labels: { app: 'a' },
      containers: { main: counted, web: 'httpd -f -p 8080' },
    })
    const lines: string[] = []
    const kinds: string[] = []
    const follower = new LogFollower({
      ...{ client, namespace, selector: 'app=a', tail: null },
      take: (given) => {
        for (const { text } of given) lines.push(text)
      },
      onMark: ({ container, kind }) => container === 'main' && kinds.push(kind),
    })
    onTestFinished(() => follower.dispose())
    const forward = await openForward(client, { namespace, pod: 'count', port: 8080 })
    onTestFinished(() => forward.dispose())
    const reached = () =>
      fetch(forward.url, { headers: { connection: 'close' } }).then(
        () => true,
        () => false,
      )
    await until(async () => steps() >= 2 && lines.length > 10 && (await reached()))

    await control('stop', 'kube-apiserver')
    const since = Date.now()
    const source = () => follower.state.sources.find(({ container }) => container === 'main')
    await until(() => source()?.state === 'dropped')
    const refused = await reached()
    await forward.repick().catch(() => undefined)
    // The run waits for its verifier, and the console answers every question meanwhile.
    const blocked = async () => (await core.handlers['runs.state']({ run })).state.phase === 'blocked'
    await until(blocked)
    const during = {
      log: source()?.detail,
      forward: [refused, forward.state.kind, forward.state.reason],
      watch: (await core.handlers['clusters.timeline']({ run })).watch?.state,
      listed: (await core.handlers['clusters.list']({})).contexts.length > 0,
      looked: await core.request('clusters.look', { context: verifier.context, namespace }),
    }
    await until(() => Date.now() - since > outageMs)
    await control('start', 'kube-apiserver')

    const before = steps()
    await until(async () => steps() > before && (await reached()) && source()?.state === 'ended')
    await core.handlers['runs.stop']({ run, mode: 'after_step' })
    await until(() => core.parts.store.summary(run).phase === 'finished')
    const silent = 'does not answer'
    expect(during).toEqual({
      log: expect.stringContaining(silent),
      forward: [false, 'lost', expect.stringContaining(silent)],
      watch: 'lost',
      listed: true,
      looked: { ok: false, error: expect.objectContaining({ code: 'unreachable' }) },
    })
    expect({
      lines,
      kinds,
      after: forward.state.kind,
      nulls: core.parts.store.summary(run).nullRewards,
      gaps: await core.parts.store.fetchLast(run),
    }).toEqual({
      lines: Array.from({ length: 400 }, (_, index) => `line ${index + 1}`),
      kinds: ['dropped', 'resumed', 'ended'],
      after: 'open',
      nulls: 0,
      gaps: [],
    })
    expect((await takeDown(core, run)).left).toEqual([])
    expect((await findOurs(client, namespace)).objects).toEqual([])
  },
)
