import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ClusterVerifierDraft } from '#shared/domain/placement.ts'
import { testClient, testNamespace } from '../../testing/cluster/cluster.ts'
import { clusterEnv, makeWritable, manifestDraft } from '../../testing/cluster/console.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import { rooms } from '../core/data-folder.ts'
import { openConsole } from '../core/faults/testing.ts'
import { sweepLocal } from '../leases/sweep.ts'
import { findOurs, sweepCluster } from './sweep.ts'

const run = 'r-20261129-crashd'

/** Makes a run's objects in a process of its own, which is killed -9 at one step. @returns the signal that ended it. */
async function createAndDie(home: string, draft: ClusterVerifierDraft, at: string): Promise<string> {
  const code = `
    import { LeaseLedger } from '#services/leases/ledger.ts'
    import { Clusters } from '#services/kube/clusters.ts'
    import { createObjects, intendObjects } from '#services/kube/create.ts'
    import { planVerifier } from '#services/kube/plan.ts'
    import { rooms } from '#services/core/data-folder.ts'
    const home = ${JSON.stringify(home)}
    const draft = ${JSON.stringify(draft)}
    const clusters = await Clusters.open(rooms(home).clusters, process.env)
    const pin = await clusters.pin(draft.context, draft.namespace)
    const client = await clusters.pinned(pin)
    const ledger = await LeaseLedger.open(rooms(home).leases, () => new Date())
    const run = ${JSON.stringify(run)}
    const { objects } = await planVerifier(client, draft, { run, namespace: draft.namespace, workers: 1 })
    const die = (step) => {
      if (step === ${JSON.stringify(at)}) process.kill(process.pid, 'SIGKILL')
    }
    const creation = { client, ledger, pin, run, objects, onStep: (step, object) => die(step + ' ' + object.kind) }
    die('before anything')
    await intendObjects(creation)
    die('intended')
    await createObjects(creation)
    console.error('nobody died at ' + ${JSON.stringify(at)})`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: join(import.meta.dirname, '../../..'),
    stdio: ['ignore', 'inherit', 'inherit'],
    env: clusterEnv(),
  })
  const [, signal] = await once(child, 'exit')
  return String(signal)
}

const kinds = ['Secret', 'NetworkPolicy', 'Deployment', 'Service']
/** What is there when the process dies at a step: everything up to the object that was made. */
const steps: [at: string, there: string[]][] = [
  ['before anything', []],
  ['intended', []],
  ...kinds.flatMap((kind, index): [string, string[]][] => [
    [`before ${kind}`, kinds.slice(0, index)],
    [`made ${kind}`, kinds.slice(0, index + 1)],
    [`held ${kind}`, kinds.slice(0, index + 1)],
  ]),
]

test('killed at every step of creation in turn: a sweep finds exactly what exists, and after it nothing of ours does', async () => {
  const client = await testClient()
  const namespace = await testNamespace(client)
  const draft = await manifestDraft(namespace)
  for (const [at, there] of steps) {
    const home = await tempFolder()
    expect(await createAndDie(home, draft, at), at).toBe('SIGKILL')
    const core = await openConsole(home, clusterEnv())
    await makeWritable(core)
    const { parts } = core
    const sweep = { ...parts, context: draft.context, namespace, now: new Date() }
    const listed = await sweepCluster({ ...sweep, confirm: null })
    const refused = await sweepCluster({ ...sweep, confirm: () => false })
    const exists = (await findOurs(client, namespace)).objects.map((object) => object.kind).sort()
    // By the list for every other step, by what the dead console had written down for the others.
    const byLabel = steps.findIndex(([step]) => step === at) % 2 === 0
    if (byLabel) await sweepCluster({ ...sweep, confirm: (row) => row.lease.startsWith(`${run}/`) })
    const rest = await sweepLocal({ ...parts, home, boxes: rooms(home).boxes, scratch: rooms(home).scratch })
    expect(
      {
        listed: listed.plan.map((row) => row.identity?.object).sort(),
        kept: refused.left.length,
        exists,
        left: rest.left,
        after: (await findOurs(client, namespace)).objects,
        open: parts.ledger.all().filter((lease) => lease.state !== 'released'),
      },
      at,
    ).toEqual({
      listed: [...there].sort(),
      kept: there.length,
      exists: [...there].sort(),
      left: [],
      after: [],
      open: [],
    })
    await core.dispose()
  }
})
