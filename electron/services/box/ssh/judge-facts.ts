import { checkNode, type Finding, failed, passed, warned } from '../../runs/preflight/checks.ts'
import type { BoxFacts } from './facts.ts'

export type Judged = { check: string; label: string; finding: Finding }

const gib = 1024 ** 3
/** A run's events and completions take some tens of MB; a trainer's checkpoints more. */
const needBytes = 0.2 * gib
const wantBytes = 2 * gib
/** Beyond this, the times of events and of this machine cannot be put on one axis. */
const skewMs = 5_000

/** What a box says of itself, held against what a run needs of it. @param nowMs this machine's clock when the box said its own. */
export function judgeFacts(facts: BoxFacts, nowMs: number): Judged[] {
  return [
    { check: 'box_disk', label: 'Disk space on the box', finding: disk(facts) },
    { check: 'box_home', label: 'Home on the box outlives a restart', finding: home(facts) },
    { check: 'box_node', label: 'Node on the box', finding: node(facts) },
    { check: 'box_python', label: 'Python on the box', finding: python(facts) },
    { check: 'box_clock', label: 'Clock of the box', finding: clock(facts, nowMs) },
  ]
}

function disk({ freeBytes }: BoxFacts): Finding {
  const remedy = 'Free disk space in the home folder there.'
  if (freeBytes === null) return warned('free space is unknown', remedy)
  const detail = `${(freeBytes / gib).toFixed(1)} GiB free`
  if (freeBytes < needBytes) return failed(detail, remedy)
  return freeBytes < wantBytes ? warned(detail, remedy) : passed(detail)
}

function home({ fileSystem, home: path }: BoxFacts): Finding {
  if (fileSystem === null) return warned(`what ${path} lies on is unknown`, 'Make sure that it is a disk.')
  return /^(tmpfs|ramfs)$/.test(fileSystem)
    ? warned(
        `${path} is kept in memory (${fileSystem})`,
        'A restart of the box loses the run; use a user whose home is on a disk.',
      )
    : passed(`${path} on ${fileSystem}`)
}

function node({ node: found }: BoxFacts): Finding {
  if (!found)
    return failed(
      'no Node was found, neither on the PATH nor by the login shell',
      'Install Node 22.19 or later there.',
    )
  const judged = checkNode(found.version)
  return { ...judged, detail: `Node ${found.version} at ${found.path}` }
}

/** The embedded trainer needs none; one on a GPU does. */
function python({ python: found }: BoxFacts): Finding {
  return found
    ? passed(`Python ${found.version} at ${found.path}`)
    : warned(
        'no Python 3 was found',
        'Only the embedded trainer can run there; install Python 3.10 or later for another.',
      )
}

function clock({ clockMs }: BoxFacts, nowMs: number): Finding {
  const remedy = 'Turn on time synchronisation (NTP) on both machines.'
  if (clockMs === null) return warned('its clock is unknown', remedy)
  // The box says whole seconds: half of one is lost on average.
  const offMs = clockMs + 500 - nowMs
  const detail = `${Math.abs(offMs / 1000).toFixed(1)} s ${offMs < 0 ? 'behind' : 'ahead of'} this machine`
  return Math.abs(offMs) > skewMs ? warned(detail, remedy) : passed(detail)
}
