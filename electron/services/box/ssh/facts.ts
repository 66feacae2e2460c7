import { AppError } from '#shared/base/errors.ts'
import type { SshLink } from './link.ts'
import { shOrThrow } from './remote.ts'

/** What a box says of itself. */
export type BoxFacts = {
  home: string
  system: string
  root: boolean
  node: { path: string; version: string } | null
  python: { path: string; version: string } | null
  /** Free bytes where runs are kept; null where unknown. */
  freeBytes: number | null
  /** Type of that file system, as the box calls it; null where unknown. */
  fileSystem: string | null
  /** The box's clock in ms since 1970, and half the time that asking took. */
  clockMs: number | null
}

/** A line a fact, `name value`. Programs are looked for as the login shell would find them, too: many are put on the PATH only there. */
const script = [
  'cd; echo "home $(pwd -P)"',
  'echo "system $(uname -sm)"',
  'echo "uid $(id -u)"; shell=$SHELL; [ -n "$shell" ] || shell=sh',
  'find_it() { command -v "$1" 2> /dev/null || "$shell" -lc "command -v $1" < /dev/null 2> /dev/null | tail -n 1; }',
  'node=$(find_it node); [ -z "$node" ] || echo "node $node $("$node" --version 2> /dev/null)"',
  'python=$(find_it python3); [ -z "$python" ] || echo "python $python $("$python" -c "import sys; print(sys.version.split()[0])" 2> /dev/null)"',
  'echo "free $(df -Pk . 2> /dev/null | tail -n 1 | awk "{ print \\$4 }")"',
  'echo "type $(stat -f -c %T . 2> /dev/null || df -T . 2> /dev/null | tail -n 1 | awk "{ print \\$2 }")"',
  'echo "clock $(date +%s)"',
].join('; ')

export async function boxFacts(link: SshLink): Promise<BoxFacts> {
  const said = await shOrThrow(link, 'say what it is', script)
  const facts = new Map(
    said.split('\n').flatMap((line) => {
      const at = line.indexOf(' ')
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1).trim()] as const] : []
    }),
  )
  const home = facts.get('home')
  if (!home?.startsWith('/'))
    throw new AppError('unresolved', `${link.name} has no home folder for this user.`, {
      hint: 'Log in once by hand and see what the shell prints.',
    })
  const free = facts.get('free') ?? ''
  return {
    home,
    system: facts.get('system') ?? 'unknown',
    root: facts.get('uid') === '0',
    node: program(facts.get('node')),
    python: program(facts.get('python')),
    freeBytes: /^\d+$/.test(free) ? Number(free) * 1024 : null,
    fileSystem: facts.get('type') || null,
    clockMs: /^\d+$/.test(facts.get('clock') ?? '') ? Number(facts.get('clock')) * 1000 : null,
  }
}

function program(text: string | undefined): { path: string; version: string } | null {
  const match = /^(\/\S+)\s+v?([\d.]+)/.exec(text ?? '')
  return match ? { path: match[1] ?? '', version: match[2] ?? '' } : null
}
