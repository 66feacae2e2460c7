/** A typed set of listeners. `on` returns its own unsubscribe. */
export class Emitter<T> {
  private listeners = new Set<(value: T) => void>()

  on(listener: (value: T) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  emit(value: T): void {
    for (const listener of [...this.listeners]) listener(value)
  }

  get size(): number {
    return this.listeners.size
  }
}
