import { createHash, randomUUID } from 'node:crypto'
import { link, mkdir, open, readdir, readFile, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { canonicalJson } from '#shared/base/canonical.ts'
import { AppError } from '#shared/base/errors.ts'
import { Evidence } from '#shared/domain/verifier.ts'

/**
 * Evidence by the sha256 of its canonical JSON, under `<folder>/<first two digits>/<sha256>`. Written to a temporary file, synced, linked
 * under its name, and the folder synced, before anything may name it.
 */
export class EvidenceStore {
  private readonly folder: string
  private bytes = 0

  private constructor(folder: string) {
    this.folder = folder
  }

  /** Clears what an earlier process left half-written, and counts what is there. */
  static async open(folder: string): Promise<EvidenceStore> {
    const store = new EvidenceStore(folder)
    await rm(store.tmp, { recursive: true, force: true })
    await mkdir(store.tmp, { recursive: true })
    for (const sha256 of await store.list()) store.bytes += (await stat(store.path(sha256))).size
    return store
  }

  /** Bytes of all evidence. */
  get usedBytes(): number {
    return this.bytes
  }

  /**
   * @returns the evidence's sha256. The same content again is a no-op.
   * @throws AppError `content_conflict` for other bytes under the name; the file system's own error where it cannot write.
   */
  async put(evidence: Evidence): Promise<string> {
    const bytes = Buffer.from(canonicalJson(evidence))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const path = this.path(sha256)
    const draft = join(this.tmp, randomUUID())
    try {
      await writeSynced(draft, bytes)
      if ((await mkdir(dirname(path), { recursive: true })) !== undefined) await syncFolder(this.folder)
      await link(draft, path)
      this.bytes += bytes.length
    } catch (failure) {
      if ((failure as NodeJS.ErrnoException).code !== 'EEXIST') throw failure
      if (!bytes.equals(await readFile(path))) {
        throw new AppError('content_conflict', `Evidence ${sha256} is stored with other content.`)
      }
    } finally {
      await unlink(draft).catch(() => undefined)
    }
    await syncFolder(dirname(path))
    return sha256
  }

  /** The stored bytes, or null. */
  async bytesOf(sha256: string): Promise<Buffer | null> {
    try {
      return await readFile(this.path(sha256))
    } catch (failure) {
      if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw failure
    }
  }

  /** @throws AppError `corrupt` where it is missing or does not read as evidence. */
  async get(sha256: string): Promise<Evidence> {
    const bytes = await this.bytesOf(sha256)
    const parsed = bytes === null ? null : Evidence.safeParse(JSON.parse(bytes.toString('utf8')))
    if (parsed?.success) return parsed.data
    throw new AppError('corrupt', `Evidence ${sha256} is ${bytes === null ? 'missing' : 'damaged'}.`)
  }

  async list(): Promise<string[]> {
    const names = await readdir(this.folder, { recursive: true })
    return names.map((name) => name.slice(-64)).filter((name) => /^[0-9a-f]{64}$/.test(name))
  }

  private get tmp(): string {
    return join(this.folder, 'tmp')
  }

  private path(sha256: string): string {
    return join(this.folder, sha256.slice(0, 2), sha256)
  }
}

async function writeSynced(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'wx')
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Makes new names in a folder last. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
