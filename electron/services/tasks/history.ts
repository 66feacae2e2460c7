import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const options = { timeout: 60_000, maxBuffer: 64 * 1024 * 1024 }

export type History = {
  /** Distinct commits that touched a range of lines, its first one included; null where that is not known. */
  commitsOf(file: string, firstLine: number, lastLine: number): Promise<number | null>
}

/** Whether a repository keeps its whole history: of a shallow clone nothing can be said, and nothing is made up. */
export async function openHistory(repo: string, commit: string): Promise<History> {
  const git = (args: string[]) => run('git', ['-C', repo, ...args], options).then(({ stdout }) => stdout)
  const shallow = await git(['rev-parse', '--is-shallow-repository']).catch(() => 'true')
  if (shallow.trim() !== 'false') return { commitsOf: async () => null }
  return {
    commitsOf: async (file, firstLine, lastLine) => {
      const range = `${firstLine},${lastLine}:${file}`
      const log = await git(['log', `-L${range}`, '-s', '--format=%H', commit, '--']).catch(() => null)
      return log === null ? null : new Set(log.split('\n').filter((line) => line !== '')).size
    },
  }
}
