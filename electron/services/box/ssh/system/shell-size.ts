import { shellWord } from '../../shell-words.ts'

const mark = 'ringside-tty '
const longestName = 200

/**
 * A login shell whose first line tells its terminal's name. Size and modes are set before it starts: the `ssh` that shares a connection takes both from
 * its own terminal, and where it has none the far one is left without either, echo and line ends included.
 */
export const shellCommand = (rows: number, cols: number): string =>
  [
    'sh',
    '-c',
    shellWord(
      `stty sane; stty iutf8 2> /dev/null; stty rows "$1" cols "$2"; echo "${mark}$(tty)"; exec "\${SHELL:-sh}" -l`,
    ),
  ]
    .concat(['ringside', String(rows), String(cols)])
    .join(' ')

/** Takes the first line out of what a shell says; null until it came, and where the box did not tell a name. */
export class TtyName {
  path: string | null = null
  private held: Buffer | null = Buffer.alloc(0)

  /** @returns what of it is the shell's own. */
  filter(chunk: Buffer): Buffer {
    if (this.held === null) return chunk
    const all = Buffer.concat([this.held, chunk])
    const end = all.indexOf(10)
    this.held = all
    if (end === -1 && all.length < longestName) return Buffer.alloc(0)
    this.held = null
    const found = /^(\S+ )(\/dev\/[\w./-]+)$/.exec(all.toString('utf8', 0, Math.max(0, end)).trim())
    if (found?.[1] !== mark) return all
    this.path = found[2] ?? null
    return all.subarray(end + 1)
  }
}
