import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownCluster, testClient, testKubeconfig, testNamespace } from '../../testing/cluster/cluster.ts'
import { commits, launchUnchecked, makeWritable, manifestDraft } from '../../testing/cluster/console.ts'
import { hasSshd, testNet } from '../box/ssh/testing.ts'
import { openConsole, smallRun, takeDown, untilFinished } from '../core/faults/testing.ts'
import { findOurs } from './sweep.ts'

test.skipIf(!hasSshd || ownCluster === null)(
  'a run trains on a box behind SSH with its verifier in the cluster: by the tunnel to this machine and on to the pod (needs sshd and a cluster of our own)',
  async () => {
    const client = await testClient()
    const namespace = await testNamespace(client)
    const net = await testNet()
    const server = await net.server('box')
    net.known(server.knownHosts)
    net.configure(net.host('box', server))
    const home = join(net.folder, 'data')
    const core = await openConsole(home, { ...net.env, KUBECONFIG: testKubeconfig() })
    await makeWritable(core)
    const { id } = await core.handlers['boxes.add']({ target: 'box' })
    const verifier = await manifestDraft(namespace)
    const run = await launchUnchecked(core, home, { ...smallRun, box: id, verifier })
    await untilFinished(core, run)
    const summary = core.parts.store.summary(run)
    const page = { run, filter: '', sort: 'order', cursor: null, skip: 0, limit: 100 } as const
    const { rows } = await core.handlers['rollouts.page'](page)
    const details = await Promise.all(rows.map(({ rollout }) => core.handlers['rollouts.get']({ rollout })))
    const log = await core.handlers['logs.read']({ run, stream: 'pods', offset: 0, limit: 1 << 20 })
    expect({
      outcome: summary.outcome,
      nulls: summary.nullRewards,
      graded: rows.length > 0,
      commits: [...new Set(details.map(({ grade }) => grade?.commit))],
      said: Buffer.from(log.bytesBase64, 'base64').toString('utf8').includes('{"listening":'),
    }).toEqual({ outcome: 'completed', nulls: 0, graded: true, commits: [commits.first], said: true })
    expect((await takeDown(core, run)).left).toEqual([])
    expect(await findOurs(client, namespace)).toEqual({ objects: [], problems: [] })
  },
)
