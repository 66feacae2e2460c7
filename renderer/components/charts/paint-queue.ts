import { nextTask } from '../../app/next-task.ts'

/** Of a frame, for painting: what does not fit waits for the next one, so that a board of charts never blocks the hand, however long the run. */
const budgetMs = 12

type Frames = {
  /** Calls at the next frame. */
  request: (run: () => void) => void
  /** Calls in another task of the same frame, if there is time. */
  soon: (run: () => void) => void
  now: () => number
  onChange: (waiting: number) => void
}

/** Paints what asked for it, in its order, each in a task of its own and a frame's worth at a time. Who asks again before its turn is painted once. */
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
    this.frames.request(() => this.paintOne(this.frames.now()))
  }

  private paintOne(frameBegan: number): void {
    const [paint] = this.waiting
    try {
      if (paint) this.waiting.delete(paint)
      paint?.()
    } finally {
      // One chart that cannot be painted does not keep the others from it.
      this.goOn(frameBegan)
    }
  }

  private goOn(frameBegan: number): void {
    if (this.waiting.size > 0 && this.frames.now() - frameBegan < budgetMs)
      return this.frames.soon(() => this.paintOne(frameBegan))
    this.requested = false
    this.next()
  }
}

/** Of the window. How many wait is on the document, for who wants to know when a picture is whole. */
export const paintQueue = new PaintQueue({
  request: (run) => requestAnimationFrame(run),
  soon: (run) => void nextTask().then(run),
  now: () => performance.now(),
  onChange: (waiting) => {
    document.documentElement.dataset.unpainted = String(waiting)
  },
})
