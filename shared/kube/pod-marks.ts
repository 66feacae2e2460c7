import type { KubeMark, MarkKind } from './marks.ts'
import type { ContainerFacts, PodFacts } from './pod-facts.ts'

type Say = (kind: MarkKind, level: KubeMark['level'], text: string) => void

/** Reasons for which a container waits that are about its image. */
const imageReasons = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
  'ImageInspectError',
  'RegistryUnavailable',
])
/** Reasons that only say that all goes its way. */
const usual = new Set(['ContainerCreating', 'PodInitializing'])

/**
 * What happened to a pod between two looks, in the order in which it can have happened. Looks may be far apart (the console was closed): a
 * restart that nobody saw is still told by its count.
 * @param before null where the pod was not known. @param after null where it is gone.
 */
export function podMarks(before: PodFacts | null, after: PodFacts | null, at: string): KubeMark[] {
  const marks: KubeMark[] = []
  const object = `Pod ${(after ?? before)?.name}`
  const say: Say = (kind, level, text) => marks.push({ at, kind, level, object, text })
  if (after === null) {
    if (before) say('deleted', before.deleting || before.failed ? 'info' : 'warning', 'is gone')
    return marks
  }
  placing(before, after, say)
  if (after.failed && !before?.failed) {
    const evicted = after.failed.reason === 'Evicted'
    say(evicted ? 'evicted' : 'failed', 'error', words(after.failed.reason, after.failed.message))
  }
  for (const container of after.containers) {
    containerMarks(before?.containers.find((one) => one.name === container.name) ?? null, container, say)
  }
  if (after.ready && !before?.ready) say('ready', 'info', 'is ready')
  if (!after.ready && before?.ready && !after.deleting) say('unready', 'warning', 'is not ready any more')
  if (after.deleting && !before?.deleting) say('deleted', 'warning', 'was told to end')
  return marks
}

function placing(before: PodFacts | null, after: PodFacts, say: Say): void {
  if (after.unschedulable !== null && after.unschedulable !== before?.unschedulable)
    say('pending', 'warning', `has no node: ${after.unschedulable}`)
  if (after.node !== null && before?.node !== after.node)
    say('scheduled', 'info', `was given node ${after.node}`)
}

function containerMarks(before: ContainerFacts | null, after: ContainerFacts, say: Say): void {
  const restarted = after.restarts - (before?.restarts ?? 0)
  const endedNow = after.ended !== null && !after.running && (before?.running ?? true) && before !== null
  if (after.ended && (restarted > 0 || endedNow)) {
    const { reason, exitCode, message } = after.ended
    const killed = reason === 'OOMKilled'
    const how = killed ? 'was killed for its memory' : words(reason, message, `exit code ${exitCode}`)
    const already = before?.ended && restarted > 0 && !before.running && restarted === 1
    if (!already)
      say(
        killed ? 'oom_killed' : 'failed',
        exitCode === 0 ? 'warning' : 'error',
        `container ${after.name} ${killed ? how : `ended: ${how}`}`,
      )
  }
  if (restarted > 0)
    say(
      'restarted',
      'warning',
      `container ${after.name} was restarted${restarted > 1 ? ` ${restarted} times` : ''}, ${after.restarts} in all`,
    )
  const wait = after.waiting
  if (wait && !usual.has(wait.reason) && wait.reason !== before?.waiting?.reason)
    say(
      imageReasons.has(wait.reason) ? 'image' : 'failed',
      'error',
      `container ${after.name} waits: ${words(wait.reason, wait.message)}`,
    )
  if (after.running && !before?.running && restarted <= 0)
    say('started', 'info', `container ${after.name} was started`)
}

const words = (...parts: string[]) =>
  parts
    .filter((part) => part !== '')
    .join(', ')
    .replace(/\.$/, '')
