import type { Disposable } from '#shared/base/disposable.ts'
import { toAppError } from '#shared/base/errors.ts'
import type { ReplicaHealth } from '#shared/domain/replica.ts'
import type { KubeMark } from '#shared/kube/marks.ts'
import type { KubeObject } from '#shared/kube/objects.ts'
import { type PodFacts, podFacts } from '#shared/kube/pod-facts.ts'
import { podMarks } from '#shared/kube/pod-marks.ts'
import { BackendsWriter } from './backends-writer.ts'
import type { KubeClient } from './client.ts'
import { type Forward, openForward } from './reach/forward.ts'
import { Reflector, type ReflectorState } from './reflector.ts'

export type AttendanceOptions = {
  client: KubeClient
  namespace: string
  /** Selects the pods that grade for the run. */
  podSelector: string
  port: number
  token: string | null
  /** File that the run's own verifier reads. */
  backendsFile: string
  now: () => Date
  onMark(mark: KubeMark): void
  onChange(): void
}

type Reached = { pod: PodFacts; forward: Forward; state: Forward['state']['kind'] }

/** Watches the pods of one run's verifier, keeps a way to each, and tells its own verifier where they are. */
export class Attendance implements Disposable {
  private readonly options: AttendanceOptions
  private readonly pods = new Map<string, PodFacts>()
  private readonly reached = new Map<string, Reached>()
  private readonly opening = new Set<string>()
  private readonly writer: BackendsWriter
  private readonly reflector: Reflector
  private readonly drifted = new Set<string>()
  private ended = false
  /** Why the way to the pods could not be told of; null where it was. */
  trouble: string | null = null

  constructor(options: AttendanceOptions) {
    this.options = options
    this.writer = new BackendsWriter(options.backendsFile)
    const { client, namespace, podSelector } = options
    this.reflector = new Reflector(
      client,
      { kind: 'Pod', namespace, labels: podSelector },
      {
        onList: (items) => this.onList(items),
        onChange: (type, object) => this.onPod(type === 'DELETED' ? null : podFacts(object), uidOf(object)),
        onState: (state) => this.onWatch(state),
      },
    )
  }

  get watch(): ReflectorState {
    return this.reflector.state
  }

  get facts(): PodFacts[] {
    return [...this.pods.values()]
  }

  /** Told of what the run's own verifier found each replica to be. */
  heard(replicas: ReplicaHealth[]): void {
    for (const { id, uid, drifted, problem } of replicas) {
      if (drifted && !this.drifted.has(uid))
        this.mark('drift', 'error', `Pod ${id}`, problem ?? 'it is another one')
      if (!drifted && this.drifted.has(uid))
        this.mark('note', 'info', `Pod ${id}`, 'is what the run is pinned to again')
      if (drifted) this.drifted.add(uid)
      else this.drifted.delete(uid)
    }
  }

  async dispose(): Promise<void> {
    this.ended = true
    await this.reflector.dispose()
    await Promise.all([...this.reached.values()].map(({ forward }) => forward.dispose()))
    this.reached.clear()
    await this.writer.write([], 'no console attends to the run').catch(() => undefined)
  }

  private onList(items: KubeObject[]): void {
    const now = new Map(items.map((item) => [uidOf(item), podFacts(item)]))
    for (const uid of this.pods.keys()) if (!now.has(uid)) this.onPod(null, uid)
    for (const [uid, facts] of now) this.onPod(facts, uid)
    this.publish()
  }

  private onPod(after: PodFacts | null, uid: string): void {
    const before = this.pods.get(uid) ?? null
    for (const mark of podMarks(before, after, this.options.now().toISOString())) this.options.onMark(mark)
    if (after) this.pods.set(uid, after)
    else this.pods.delete(uid)
    if (after && canBeReached(after)) void this.reach(after)
    else void this.leave(uid)
    this.options.onChange()
  }

  private onWatch({ kind, reason }: ReflectorState): void {
    if (kind === 'lost') this.mark('cut', 'warning', 'Cluster', reason.replace(/\.$/, ''))
    if (kind === 'live') this.publish()
    this.options.onChange()
  }

  private async reach(pod: PodFacts): Promise<void> {
    const known = this.reached.get(pod.uid)
    if (known) {
      known.pod = pod
      return this.publish()
    }
    if (this.opening.has(pod.uid) || this.ended) return
    this.opening.add(pod.uid)
    try {
      const { client, namespace, port } = this.options
      const forward = await openForward(client, { namespace, pod: pod.name, port })
      if (this.ended || !this.pods.has(pod.uid)) return await forward.dispose()
      const made: Reached = { pod, forward, state: forward.state.kind }
      forward.onDidChange((state) => this.onForward(made, state))
      this.reached.set(pod.uid, made)
      this.publish()
    } catch (failure) {
      this.trouble = toAppError(failure).message
    } finally {
      this.opening.delete(pod.uid)
    }
  }

  private onForward(reached: Reached, { kind, reason }: Forward['state']): void {
    const before = reached.state
    reached.state = kind
    const object = `Pod ${reached.pod.name}`
    if (kind === 'lost' && before !== 'lost')
      this.mark('cut', 'warning', object, `cannot be reached: ${reason.replace(/\.$/, '')}`)
    if (kind === 'open' && before === 'lost') this.mark('reached', 'info', object, 'is reached again')
  }

  private async leave(uid: string): Promise<void> {
    const known = this.reached.get(uid)
    this.reached.delete(uid)
    this.drifted.delete(uid)
    this.publish()
    await known?.forward.dispose()
  }

  private publish(): void {
    if (this.ended) return
    const backends = [...this.reached.values()].map(({ pod, forward }) => ({
      id: pod.name,
      uid: pod.uid,
      url: forward.url,
      token: this.options.token,
    }))
    this.writer.write(backends, this.whyFewer()).then(
      () => {
        this.trouble = null
      },
      (failure: unknown) => {
        this.trouble = toAppError(failure).message
      },
    )
  }

  /** In the words in which a run that waits for its verifier says why. */
  private whyFewer(): string | null {
    const { state } = this.reflector
    if (state.kind === 'lost' && this.reached.size === 0) return state.reason.replace(/\.$/, '')
    const waiting = this.facts.flatMap((pod) => whyNot(pod) ?? [])
    if (waiting.length > 0) return waiting.join('; ')
    return this.reached.size === 0 ? 'there is no pod of its verifier' : null
  }

  private mark(kind: KubeMark['kind'], level: KubeMark['level'], object: string, text: string): void {
    this.options.onMark({ at: this.options.now().toISOString(), kind, level, object, text })
  }
}

const uidOf = ({ metadata }: KubeObject) => metadata.uid ?? ''

/** A container that runs can be asked, ready or not: its health says what it lacks. */
const canBeReached = (pod: PodFacts) =>
  pod.phase === 'Running' && !pod.deleting && pod.containers.some((container) => container.running)

/** Why a pod does not grade; null where it can. */
export function whyNot(pod: PodFacts): string | null {
  if (pod.failed) return `pod ${pod.name}: ${pod.failed.reason}`
  if (pod.deleting) return `pod ${pod.name} is ending`
  if (pod.unschedulable !== null) return `pod ${pod.name} has no node: ${pod.unschedulable}`
  for (const { name, waiting, running, ended } of pod.containers) {
    const why = waiting ? waiting.reason : ended && !running ? ended.reason : null
    if (why !== null) return `pod ${pod.name}, container ${name}: ${why}`
  }
  return canBeReached(pod) ? null : `pod ${pod.name} is ${pod.phase}`
}
