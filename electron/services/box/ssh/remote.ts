import { createHash } from 'node:crypto'
import { AppError } from '#shared/base/errors.ts'
import { shellWord } from '../shell-words.ts'
import type { ExecOptions, ExecResult } from './exec.ts'
import type { SshLink } from './link.ts'

/**
 * A POSIX shell on the box, whatever the login shell is: `script` gets `args` as `$1`, `$2` … Scripts are one line without `!`, so that the
 * quoting holds in every login shell.
 */
export const shCommand = (script: string, args: readonly string[]): string =>
  ['sh', '-c', shellWord(script), 'ringside', ...args.map(shellWord)].join(' ')

export const sh = (
  link: SshLink,
  script: string,
  args: readonly string[] = [],
  options: ExecOptions = {},
): Promise<ExecResult> => link.exec(shCommand(script, args), options)

/** As `sh`, for what must succeed. @throws {AppError} `unresolved` with the last line that the box wrote about it. */
export async function shOrThrow(
  link: SshLink,
  what: string,
  script: string,
  args: readonly string[] = [],
  options: ExecOptions = {},
): Promise<string> {
  const { code, stdout, stderr } = await sh(link, script, args, options)
  if (code === 0) return stdout.toString()
  const said = stderr.trim().split('\n').at(-1) || `exit code ${code}`
  const full = /No space left|Disk quota exceeded/i.test(stderr)
  throw new AppError(full ? 'disk_full' : 'unresolved', `${link.name} could not ${what}: ${said}.`)
}

/** Replaces a file of the box whole or not at all. */
export async function writeRemote(link: SshLink, path: string, content: string | Uint8Array): Promise<void> {
  await shOrThrow(link, `write ${path}`, 'umask 077; cat > "$1.tmp.$$" && mv -f "$1.tmp.$$" "$1"', [path], {
    input: content,
  })
}

/**
 * Puts a program on the box under the hash of its content, once: an update of the console leaves what running runs use as it is.
 * @returns its path there.
 */
export async function uploadProgram(
  link: SshLink,
  root: string,
  name: string,
  content: Uint8Array,
): Promise<string> {
  const hash = createHash('sha256').update(content).digest('hex')
  const folder = `${root}/programs/${hash}`
  const path = `${folder}/${name}`
  const script = [
    'umask 077; mkdir -p "$3" && cat > "$1.tmp.$$" || exit 1',
    'sum=$( (sha256sum "$1.tmp.$$" || shasum -a 256 "$1.tmp.$$") 2> /dev/null | cut -c 1-64)',
    'if [ -n "$sum" ] && [ "$sum" != "$4" ]; then rm -f "$1.tmp.$$"; echo "arrived damaged" >&2; exit 1; fi',
    'mv -f "$1.tmp.$$" "$1"',
  ].join('; ')
  const size = String(content.byteLength)
  const there = await sh(link, '[ -f "$1" ] && [ "$(wc -c < "$1" | tr -d " ")" = "$2" ]', [path, size])
  if (there.code !== 0)
    await shOrThrow(link, `take ${name}`, script, [path, size, folder, hash], {
      input: content,
      limitMs: 300_000,
    })
  return path
}
