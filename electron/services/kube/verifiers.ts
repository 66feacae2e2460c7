import { join } from 'node:path'
import type { Disposable } from '#shared/base/disposable.ts'
import { AppError, toAppError } from '#shared/base/errors.ts'
import type { ClusterPlacement } from '#shared/domain/placement.ts'
import type { RunSpec } from '#shared/domain/run.ts'
import type { VerifierHealth } from '#shared/domain/verifier.ts'
import type { ClusterTimeline } from '#shared/ipc/clusters.ts'
import type { ConsoleRecord } from '#shared/journal/events.ts'
import type { KubeMark } from '#shared/kube/marks.ts'
import { backendsFile } from '../box/local-box.ts'
import type { LeaseLedger } from '../leases/ledger.ts'
import { Attendance } from './attendance.ts'
import { BackendsWriter } from './backends-writer.ts'
import type { KubeClient } from './client.ts'
import type { Clusters } from './clusters.ts'
import { type Creation, createObjects, intendObjects } from './create.ts'
import { listObjects, readObject } from './kinds.ts'
import { RunLog } from './logs/run-log.ts'
import { logMark, logViews } from './logs/views.ts'
import { checkSelectors, labelSelector, planVerifier, type VerifierPlan } from './plan.ts'
import { replicaViews } from './replica-views.ts'
import { waitForPods } from './wait-for-pods.ts'

export type ClusterVerifiersDeps = {
  clusters: Clusters
  ledger: LeaseLedger
  /** The run's folder on this machine, in which its own verifier runs. */
  folderOf(run: string): string
  record(run: string, record: ConsoleRecord): Promise<void>
  records(run: string): Promise<ConsoleRecord[]>
  /** What the run's own verifier last said of itself. */
  healthOf(run: string): VerifierHealth | null
  now: () => Date
  onChange(run: string): void
  onTrouble(run: string, text: string): void
}

/** What the run's own verifier says is looked at as often as the console looks at it. */
const lookEveryMs = 2_000
const retryMs = 5_000

type Attended = { attendance: Attendance; log: RunLog; timer: NodeJS.Timeout; marks: KubeMark[] }

/** The verifiers that runs have in clusters: made, watched, and kept in reach while this console is open. */
export class ClusterVerifiers implements Disposable {
  private readonly deps: ClusterVerifiersDeps
  private readonly attended = new Map<string, Promise<Attended>>()
  private readonly kept = new Set<string>()
  private readonly resting = new Set<() => void>()
  private readonly creating = new Map<string, Promise<void>>()

  constructor(deps: ClusterVerifiersDeps) {
    this.deps = deps
  }

  /** Writes the leases of everything that will be made, before anything is. @throws {AppError} `cluster_read_only`, `cluster_changed`. */
  async intend(spec: RunSpec): Promise<{ leases: string[]; create: () => Promise<void> }> {
    const { placement } = spec.verifier
    if (!placement) return { leases: [], create: async () => undefined }
    const { clusters, ledger } = this.deps
    const client = await clusters.pinned(placement.cluster)
    clusters.requireWritable(client.identity)
    const plan = await planFor(client, spec, placement)
    const { namespace } = placement.cluster
    checkSelectors((await listObjects(client, 'Service', namespace)).items, spec.run)
    const creation = { client, ledger, pin: placement.cluster, run: spec.run, objects: plan.objects }
    const leases = await intendObjects(creation)
    return { leases, create: () => this.create(spec, placement, creation, plan) }
  }

  private async create(
    spec: RunSpec,
    placement: ClusterPlacement,
    creation: Creation,
    plan: VerifierPlan,
  ): Promise<void> {
    const { run } = spec
    const made = createObjects(creation).catch((failure: unknown) => {
      throw plan.derived ? failure : heldByAnother(failure, placement)
    })
    this.creating.set(run, made)
    try {
      await made
    } finally {
      this.creating.delete(run)
    }
    const { attendance } = await this.attend(spec, plan)
    await waitForPods({
      client: creation.client,
      attendance,
      namespace: placement.cluster.namespace,
      placement,
      run,
    })
  }

  /** Watches the run's pods and keeps a way to each, until told to leave. Asked again, it goes on as it is. */
  attend(spec: RunSpec, plan?: VerifierPlan): Promise<Attended> {
    const known = this.attended.get(spec.run)
    if (known) return known
    const begun = this.begin(spec, plan)
    this.attended.set(spec.run, begun)
    begun.catch(() => this.attended.delete(spec.run))
    return begun
  }

  private async begin(spec: RunSpec, known?: VerifierPlan): Promise<Attended> {
    const { run } = spec
    const { placement } = spec.verifier
    if (!placement) throw new AppError('internal', `The verifier of ${run} is in no cluster.`)
    const { clusters, folderOf, now, onChange, onTrouble } = this.deps
    const client = await clusters.pinned(placement.cluster)
    const plan = known ?? (await planFor(client, spec, placement))
    const { namespace } = placement.cluster
    const marks = await this.marks(run)
    const told = new Set(marks.map(markKey))
    const tell = (mark: KubeMark) => {
      marks.push(mark)
      this.deps
        .record(run, { at: mark.at, type: 'kube.mark', mark })
        .catch((failure: unknown) => onTrouble(run, toAppError(failure).message))
    }
    const attendance = new Attendance({
      client,
      namespace,
      podSelector: labelSelector(plan.podLabels),
      port: plan.port,
      token: plan.tokenSecret === null ? null : await readToken(client, namespace, plan.tokenSecret),
      backendsFile: join(folderOf(run), backendsFile),
      now,
      onMark: (mark) => {
        // After a restart of the console the first look tells again what was told before.
        if (!told.has(markKey(mark)) || mark.text.includes('reached')) tell(mark)
      },
      onChange: () => onChange(run),
    })
    const log = await RunLog.open({
      ...{ client, namespace, now },
      selector: labelSelector(plan.podLabels),
      file: join(folderOf(run), 'pods.log'),
      onMark: (mark) => {
        const seen = logMark(mark, now())
        if (seen) tell(seen)
      },
    })
    const timer = setInterval(() => attendance.heard(this.deps.healthOf(run)?.replicas ?? []), lookEveryMs)
    timer.unref()
    return { attendance, log, timer, marks }
  }

  /** Attends to a run as soon as its cluster answers; a console that starts while it does not tries until then. */
  async keepAttending(spec: RunSpec): Promise<void> {
    const { run } = spec
    this.kept.add(run)
    for (let said = ''; this.kept.has(run); ) {
      try {
        await this.attend(spec)
        return
      } catch (failure) {
        const { message } = toAppError(failure)
        if (message !== said) this.deps.onTrouble(run, message)
        said = message
        await writer(this.deps.folderOf(run))
          .write([], message.replace(/\.$/, ''))
          .catch(() => undefined)
        await this.rest(retryMs)
      }
    }
  }

  /** Ends what `attend` keeps up; what is being created is waited for first, so that nothing appears after it was looked for. */
  async detach(run: string): Promise<void> {
    this.kept.delete(run)
    await this.creating.get(run)?.catch(() => undefined)
    const attended = await this.attended.get(run)?.catch(() => null)
    this.attended.delete(run)
    if (!attended) return
    clearInterval(attended.timer)
    await attended.log.dispose()
    await attended.attendance.dispose()
  }

  async timeline(run: string): Promise<ClusterTimeline> {
    const attended = await this.attended.get(run)?.catch(() => null)
    const replicas = this.deps.healthOf(run)?.replicas ?? []
    const drifted = replicas.filter((replica) => replica.drifted)
    const watch = attended?.attendance.watch
    return {
      marks: attended ? attended.marks : await this.marks(run),
      replicas: replicaViews(attended?.attendance.facts ?? [], replicas),
      drift: drifted.length === 0 ? null : drifted.map(({ id, problem }) => `${id}: ${problem}`).join('; '),
      logs: attended ? logViews(attended.log.follower) : null,
      watch: watch ? { state: watch.kind, reason: watch.reason, since: watch.since.toISOString() } : null,
    }
  }

  async dispose(): Promise<void> {
    this.kept.clear()
    for (const end of this.resting) end()
    await Promise.all([...this.attended.keys()].map((run) => this.detach(run)))
  }

  private rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.resting.delete(end)
        resolve()
      }, ms)
      const end = () => {
        clearTimeout(timer)
        resolve()
      }
      this.resting.add(end)
    })
  }

  private async marks(run: string): Promise<KubeMark[]> {
    const records = await this.deps.records(run).catch(() => [])
    return records.flatMap((record) => (record.type === 'kube.mark' ? [record.mark] : []))
  }
}

const writer = (folder: string) => new BackendsWriter(join(folder, backendsFile))
const markKey = ({ object, kind, text }: KubeMark) => `${object}|${kind}|${text}`

const planFor = (client: KubeClient, { run, verifier }: RunSpec, placement: ClusterPlacement) =>
  planVerifier(client, placement, {
    run,
    namespace: placement.cluster.namespace,
    workers: verifier.workers,
  })

async function readToken(client: KubeClient, namespace: string, name: string): Promise<string | null> {
  const secret = await readObject(client, { kind: 'Secret', namespace, name })
  const token = (secret?.data as { token?: unknown } | undefined)?.token
  return typeof token === 'string' ? Buffer.from(token, 'base64').toString('utf8').trim() : null
}

function heldByAnother(failure: unknown, { from }: ClusterPlacement): unknown {
  if (!(failure instanceof AppError) || failure.code !== 'kube_conflict') return failure
  const name = from.kind === 'manifest' ? '' : from.deployment
  return new AppError('kube_conflict', `Another run uses the shared verifier ${name}, and no two may.`, {
    hint: 'Wait for that run to be taken down, or give this one a verifier of its own.',
    cause: failure,
  })
}
