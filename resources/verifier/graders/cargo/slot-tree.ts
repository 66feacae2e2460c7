import { lstat, mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import { listTree } from './source-tree.ts'
import type { Workspace } from './workspace.ts'

/**
 * A slot's copy of the pristine tree. Only this class writes to it (builds and tests see it read-only), and every write and every restored
 * file gets a new time, so that cargo rebuilds what was built from the other content: a copy of the old time would let a body's build pass
 * as fresh after the body is gone.
 */
export class SlotTree {
  readonly path: string
  private readonly workspace: Workspace
  /** Times of files whose content is pristine although their time is not the source's. */
  private readonly times = new Map<string, bigint>()
  private readonly written = new Set<string>()

  constructor(path: string, workspace: Workspace) {
    this.path = path
    this.workspace = workspace
  }

  /** Replaces files by other content until `restore`. */
  async write(files: ReadonlyMap<string, string>): Promise<void> {
    for (const [path, text] of files) {
      this.written.add(path)
      await writeFile(`${this.path}/${path}`, text)
    }
  }

  /** Moves the times of the written files ahead, for where a clock stepped back and cargo took them as old. */
  async touch(): Promise<void> {
    const ahead = new Date(Date.now() + 2000)
    for (const path of this.written) await utimes(`${this.path}/${path}`, ahead, ahead)
  }

  /**
   * Makes the tree pristine again and proves it: every file and link of the source, nothing else, each of the size, mode and time it is known
   * with; whatever differs is compared byte for byte and written anew.
   * @returns the paths that had to be put right beyond those written by `write`.
   */
  async restore(): Promise<string[]> {
    for (const path of this.written) await this.put(path)
    this.written.clear()
    const drift = await this.drift()
    for (const path of drift) await this.put(path)
    const left = drift.length === 0 ? [] : await this.drift()
    if (left.length > 0)
      throw new AppError('internal', `The slot's tree cannot be restored: ${left.join(', ')}.`)
    return drift
  }

  private async drift(): Promise<string[]> {
    const here = new Map((await listTree(this.path)).map((entry) => [entry.path, entry]))
    const differing: string[] = []
    for (const entry of this.workspace.entries) {
      const found = here.get(entry.path)
      here.delete(entry.path)
      const time = this.times.get(entry.path) ?? entry.mtimeNs
      const same =
        found !== undefined &&
        found.mode === entry.mode &&
        found.link === entry.link &&
        (entry.link !== null || (found.size === entry.size && found.mtimeNs === time))
      if (!same) differing.push(entry.path)
    }
    return [...differing, ...here.keys()]
  }

  private async put(path: string): Promise<void> {
    const entry = this.workspace.entries.find((item) => item.path === path)
    const target = `${this.path}/${path}`
    if (!entry) return rm(target, { recursive: true, force: true })
    if (entry.link !== null) throw new AppError('internal', `The link ${path} of a slot's tree was changed.`)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, await readFile(`${this.workspace.tree}/${path}`), { mode: entry.mode & 0o7777 })
    this.times.set(path, (await lstat(target, { bigint: true })).mtimeNs)
  }
}
