import { type FileHandle, open, readFile } from 'node:fs/promises'
import { AppError } from '#shared/base/errors.ts'
import { Lease } from '#shared/domain/lease.ts'
import { diskError } from '../store/durable.ts'

type Intent = Pick<Lease, 'id' | 'run' | 'kind' | 'label'> & { identity?: Lease['identity'] }

/**
 * Everything that must be given back, one JSON line a change: the last line of an id is its state. Written and synced before the thing is
 * acquired, so whatever a crash leaves behind has a line that says where to look.
 */
export class LeaseLedger {
  private readonly leases = new Map<string, Lease>()
  private readonly file: FileHandle
  private readonly now: () => Date
  private tail: Promise<unknown> = Promise.resolve()
  /** Lines that could not be read: kept in the file, said to the person. */
  readonly corruptLines: number[] = []

  private constructor(file: FileHandle, now: () => Date) {
    this.file = file
    this.now = now
  }

  static async open(path: string, now: () => Date): Promise<LeaseLedger> {
    const text = await readFile(path, 'utf8').catch((failure: NodeJS.ErrnoException) => {
      if (failure.code === 'ENOENT') return ''
      throw failure
    })
    const ledger = new LeaseLedger(await open(path, 'a', 0o600), now)
    for (const [index, line] of text.split('\n').entries()) ledger.read(line, index + 1)
    // A line torn by a crash must not swallow the next one.
    if (text !== '' && !text.endsWith('\n')) await ledger.file.appendFile('\n')
    return ledger
  }

  private read(line: string, number: number): void {
    if (line.trim() === '') return
    try {
      const lease = Lease.parse(JSON.parse(line))
      this.leases.set(lease.id, lease)
    } catch {
      this.corruptLines.push(number)
    }
  }

  all(): Lease[] {
    return [...this.leases.values()]
  }

  of(run: string): Lease[] {
    return this.all().filter((lease) => lease.run === run)
  }

  /** Leases of the run that are not given back yet. */
  open(run: string): Lease[] {
    return this.of(run).filter((lease) => lease.state !== 'released')
  }

  /** To be called before the thing exists. `identity` holds what is known beforehand (the path of a folder to be made). */
  intend(intent: Intent): Promise<Lease> {
    return this.append({
      ...intent,
      identity: intent.identity ?? {},
      state: 'intended',
      at: this.now().toISOString(),
      note: null,
    })
  }

  hold(id: string, identity: Lease['identity'] = {}): Promise<Lease> {
    const lease = this.get(id)
    return this.change(id, { state: 'held', identity: { ...lease.identity, ...identity } })
  }

  release(id: string, proof: string): Promise<Lease> {
    return this.change(id, { state: 'released', note: proof })
  }

  leave(id: string, note: string): Promise<Lease> {
    return this.change(id, { state: 'left', note })
  }

  async close(): Promise<void> {
    await this.tail.catch(() => undefined)
    await this.file.close()
  }

  private get(id: string): Lease {
    const lease = this.leases.get(id)
    if (!lease) throw new AppError('not_found', `There is no lease ${id}.`)
    return lease
  }

  private change(id: string, changes: Partial<Lease>): Promise<Lease> {
    return this.append({ ...this.get(id), ...changes, at: this.now().toISOString() })
  }

  private append(lease: Lease): Promise<Lease> {
    const written = this.tail.then(async () => {
      try {
        await this.file.appendFile(`${JSON.stringify(lease)}\n`)
        await this.file.sync()
      } catch (failure) {
        throw diskError(failure, 'write the lease ledger')
      }
      this.leases.set(lease.id, lease)
      return lease
    })
    this.tail = written.catch(() => undefined)
    return written
  }
}
