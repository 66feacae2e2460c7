import { writeAtomic } from '../box/atomic-write.ts'

export type BackendLine = { id: string; uid: string; url: string; token: string | null }

/** Tells a run's own verifier where its replicas are: one file, replaced when something changed, in the order of the changes. */
export class BackendsWriter {
  private readonly path: string
  private last = ''
  private tail: Promise<void> = Promise.resolve()

  constructor(path: string) {
    this.path = path
  }

  /** @param note why there are fewer than there should be; null where there are not. */
  write(backends: BackendLine[], note: string | null): Promise<void> {
    const ordered = [...backends].sort((a, b) => (a.uid < b.uid ? -1 : 1))
    const text = JSON.stringify({ backends: ordered, note })
    if (text === this.last) return this.tail
    this.last = text
    this.tail = this.tail.catch(() => undefined).then(() => writeAtomic(this.path, `${text}\n`))
    return this.tail
  }
}
