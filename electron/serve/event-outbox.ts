import type { BridgeEvents, EventName } from '#shared/ipc/contract.ts'

type Held = { name: EventName; payload: BridgeEvents[EventName] }

/**
 * Events on their way to one window. While the window reads, each goes out at once; while it does not, only the latest of each kind and
 * subject is kept, because events say that something changed and the window pulls what it shows.
 */
export class EventOutbox {
  private readonly held = new Map<string, Held>()
  private readonly send: (frame: string) => void
  private readonly isFull: () => boolean
  private seq = 0
  private dropped = 0

  constructor(send: (frame: string) => void, isFull: () => boolean) {
    this.send = send
    this.isFull = isFull
  }

  push(name: EventName, payload: BridgeEvents[EventName]): void {
    const key = subject(name, payload)
    if (this.held.delete(key)) this.dropped += 1
    this.held.set(key, { name, payload })
    this.flush()
  }

  /** Sends what is held, as far as the window keeps up. Called again when its buffer drained. */
  flush(): void {
    for (const [key, { name, payload }] of this.held) {
      if (this.isFull()) return
      this.held.delete(key)
      const dropped = this.dropped
      this.dropped = 0
      this.send(
        JSON.stringify({ t: 'event', seq: this.seq++, name, payload, ...(dropped > 0 ? { dropped } : {}) }),
      )
    }
  }
}

/** What an event is about: of two events about the same, only the later matters. */
function subject(name: EventName, payload: BridgeEvents[EventName]): string {
  const { run, stream, label, row } = payload as {
    run?: string
    stream?: string
    label?: string
    row?: { check?: string }
  }
  return JSON.stringify([name, run, stream, label, row?.check])
}
