import { createHash, randomUUID } from 'node:crypto'
import { link, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import { Sha256 } from '#shared/base/ids.ts'
import { diskError, makeFolder, syncFolder, writeFully } from './durable.ts'

export const sha256Of = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex')

const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/**
 * Bytes under their own sha256, `<folder>/ab/<sha256>`. Written to a temporary file, synced, and linked under the name, so that a name never
 * stands for half of its bytes; the same bytes again are a no-op.
 */
export class EvidenceStore {
  private readonly folder: string
  private readonly drafts: string

  constructor(folder: string) {
    this.folder = folder
    this.drafts = join(folder, 'drafts')
  }

  /** Removes what writers that were killed left behind. Only for the one process that owns the data folder, before it writes. */
  async sweepDrafts(): Promise<void> {
    await rm(this.drafts, { recursive: true, force: true })
  }

  /** @returns the name. @throws {AppError} `disk_full`; `content_conflict` where other bytes stand under the name. */
  async put(bytes: Uint8Array): Promise<string> {
    const sha256 = sha256Of(bytes)
    const target = this.pathOf(sha256)
    if (await this.holds(target, bytes)) return sha256
    await makeFolder(join(this.folder, sha256.slice(0, 2)))
    await makeFolder(this.drafts)
    const draft = join(this.drafts, randomUUID())
    try {
      await writeSynced(draft, bytes)
      await publish(draft, target)
      await syncFolder(join(this.folder, sha256.slice(0, 2)))
    } catch (failure) {
      if ((failure as NodeJS.ErrnoException).code !== 'EEXIST')
        throw diskError(failure, `store evidence ${sha256}`)
      await this.holds(target, bytes)
    } finally {
      await rm(draft, { force: true })
    }
    return sha256
  }

  /** The bytes, checked against their name; null where there are none. @throws {AppError} `content_conflict`, `bad_input` for no hash. */
  async get(sha256: string): Promise<Uint8Array | null> {
    const bytes = await readOrNull(this.pathOf(sha256))
    if (bytes !== null && sha256Of(bytes) !== sha256) throw conflict(this.pathOf(sha256))
    return bytes
  }

  async has(sha256: string): Promise<boolean> {
    return stat(this.pathOf(sha256)).then(
      () => true,
      () => false,
    )
  }

  /** Every stored name, in no order. */
  async *names(): AsyncGenerator<string> {
    const folders = await readdir(this.folder).catch(() => [])
    for (const folder of folders.filter((name) => /^[0-9a-f]{2}$/.test(name))) {
      for (const name of await readdir(join(this.folder, folder)))
        if (Sha256.safeParse(name).success) yield name
    }
  }

  pathOf(sha256: string): string {
    if (!Sha256.safeParse(sha256).success) throw new AppError('bad_input', `${sha256} is no sha256.`)
    return join(this.folder, sha256.slice(0, 2), sha256)
  }

  /** Whether exactly these bytes are there already. @throws {AppError} `content_conflict` where others are. */
  private async holds(target: string, bytes: Uint8Array): Promise<boolean> {
    const there = await readOrNull(target)
    if (there === null) return false
    if (Buffer.compare(there, bytes) !== 0) throw conflict(target)
    return true
  }
}

const conflict = (path: string) =>
  new AppError('content_conflict', `The bytes of ${path} are not those that its name stands for.`)

async function readOrNull(path: string): Promise<Uint8Array | null> {
  try {
    return await readFile(path)
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw failure
  }
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    await writeFully(handle, bytes, 0)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Gives the draft its name unless something has it; a file system without hard links renames, which is as atomic for one writer. */
async function publish(draft: string, target: string): Promise<void> {
  try {
    await link(draft, target)
  } catch (failure) {
    if (!noLinks.has((failure as NodeJS.ErrnoException).code ?? '')) throw failure
    await rename(draft, target)
  }
}
