import { AppError } from '#shared/base/errors.ts'
import type { BoxFiles, FileStat } from '../files.ts'
import { type AgentAnswer, FileAgent } from './file-agent.ts'
import type { SshLink } from './link.ts'
import { sh } from './remote.ts'

const missing = 4

/** GNU's and BSD's `stat`, in this order. Size, device and inode, time of change in seconds. */
const statScript =
  'stat -L -c "%s %d:%i %Y" "$1" 2> /dev/null || stat -L -f "%z %d:%i %m" "$1" 2> /dev/null || { [ -e "$1" ] || exit 4; exit 1; }'

/** Exactly the bytes that are there, on a channel of their own: its end is theirs. */
const readScript = '[ -e "$1" ] || exit 4; tail -c "+$2" "$1" | head -c "$3"'

/**
 * The files below a folder of a box, over one channel where the box has Node, else by commands that every box has. File transfer by SFTP would not do:
 * it knows no identity of a file, so that a file that took the place of another could not be told from it.
 */
export function remoteFiles(link: SshLink, folder: string): BoxFiles {
  const agent = FileAgent.of(link)
  return {
    onBack: (listener) => ({ dispose: link.onDidConnect(listener) }),
    async stat(path) {
      const answer = await agent.ask({ path: inside(folder, path) })
      if (answer) return statOf(answer, link.name, path)
      const { code, stdout, stderr } = await sh(link, statScript, [inside(folder, path)])
      if (code === missing) return null
      const [size, identity, seconds] = stdout.toString().trim().split(' ')
      if (code !== 0 || !identity || !/^\d+$/.test(size ?? ''))
        throw new AppError(
          'unreachable',
          `${link.name} does not say what ${path} is: ${stderr.trim() || stdout}`,
        )
      return { sizeBytes: Number(size), identity, modifiedAt: new Date(Number(seconds) * 1000) }
    },
    async read(path, offset, lengthBytes) {
      if (lengthBytes <= 0) return new Uint8Array()
      const answer = await agent.ask({ path: inside(folder, path), offset, length: lengthBytes })
      if (answer) return bytesOf(answer, link.name, path)
      const { code, stdout, stderr } = await sh(
        link,
        readScript,
        [inside(folder, path), String(offset + 1), String(lengthBytes)],
        { maxBytes: lengthBytes + 1 },
      )
      if (code === missing)
        throw new AppError('not_found', `There is no ${path} in ${folder} on ${link.name}.`)
      if (code !== 0)
        throw new AppError('unreachable', `${link.name} could not read ${path}: ${stderr.trim()}`)
      return stdout
    },
  }
}

const isMissing = (code: string) => code === 'ENOENT' || code === 'ENOTDIR'

function statOf({ error, size, identity, ms }: AgentAnswer, box: string, path: string): FileStat | null {
  if (error !== undefined && isMissing(error)) return null
  if (error !== undefined || size === undefined || identity === undefined || ms === undefined)
    throw new AppError('unreachable', `${box} does not say what ${path} is: ${error}.`)
  return { sizeBytes: size, identity, modifiedAt: new Date(ms) }
}

function bytesOf({ error, bytes }: AgentAnswer, box: string, path: string): Uint8Array {
  if (error === undefined) return bytes
  const code = isMissing(error) ? 'not_found' : 'unreachable'
  throw new AppError(code, `${box} could not read ${path}: ${error}.`)
}

function inside(folder: string, path: string): string {
  if (path === '' || path.split('/').includes('..'))
    throw new AppError('bad_input', `${path} leads out of ${folder}.`)
  return `${folder}/${path}`
}
