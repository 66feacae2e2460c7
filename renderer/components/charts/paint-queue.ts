/** Of a frame, for painting: what does not fit waits for the next one, so that a board of charts never blocks the hand, however long the run. */
const budgetMs = 8

type Frames = { request: (run: () => void) => void; now: () => number; onChange: (waiting: number) => void }

/** Paints what asked for it, in its order, a frame's worth at a time. Who asks again before its turn is painted once. */
export class PaintQueue {
  private readonly waiting = new Set<() => void>()
  private readonly frames: Frames
  private requested = false

  constructor(frames: Frames) {
    this.frames = frames
  }

  /** @param paint the same function for the same canvas. @returns takes it back. */
  add(paint: () => void): () => void {
    this.waiting.add(paint)
    this.next()
    return () => {
      this.waiting.delete(paint)
    }
  }

  private next(): void {
    this.frames.onChange(this.waiting.size)
    if (this.requested || this.waiting.size === 0) return
    this.requested = true
    this.frames.request(() => {
      this.requested = false
      this.run()
      this.next()
    })
  }

  private run(): void {
    const began = this.frames.now()
    for (const paint of this.waiting) {
      this.waiting.delete(paint)
      paint()
      if (this.frames.now() - began > budgetMs) return
    }
  }
}

/** Of the window. How many wait is on the document, for who wants to know when a picture is whole. */
export const paintQueue = new PaintQueue({
  request: (run) => requestAnimationFrame(run),
  now: () => performance.now(),
  onChange: (waiting) => {
    document.documentElement.dataset.unpainted = String(waiting)
  },
})
