/**
 * Runs in the page before anything of its own: what blocked its main thread, and waiting for what a person would wait for. Keeps maxima and counts
 * only, so that measuring memory does not need any.
 */
{
  const blocks = { tasks: 0, longestTask: 0, longestOwn: 0, own: '' }
  const frames = { count: 0, bytes: 0, largest: 0 }
  let ready = 0
  /** The last look at memory and what comes of it: a forced collection stops the page and throws away compiled code, which is the look's doing. */
  let look = { from: 0, until: 0 }
  const counts = (time) => time >= ready && (time < look.from || time > look.until)

  new PerformanceObserver((list) => {
    for (const { duration, startTime } of list.getEntries()) {
      if (!counts(startTime)) continue
      blocks.tasks += 1
      blocks.longestTask = Math.max(blocks.longestTask, duration)
    }
  }).observe({ type: 'longtask', buffered: true })

  // A script's time is its own, layout that it forced included; a frame's also holds what the browser does by itself.
  new PerformanceObserver((list) => {
    for (const { startTime, scripts } of list.getEntries()) {
      if (!counts(startTime)) continue
      for (const { duration, sourceURL, sourceFunctionName, invoker } of scripts) {
        if (!sourceURL.startsWith(location.origin) || duration <= blocks.longestOwn) continue
        blocks.longestOwn = duration
        blocks.own = `${invoker} ${sourceFunctionName} ${sourceURL.split('/').at(-1)}`
      }
    }
  }).observe({ type: 'long-animation-frame', buffered: true })

  const Socket = window.WebSocket
  window.WebSocket = class extends Socket {
    constructor(...args) {
      super(...args)
      this.addEventListener('message', ({ data }) => {
        frames.count += 1
        frames.bytes += data.length
        frames.largest = Math.max(frames.largest, data.length)
      })
    }
  }

  const isPainted = () => (document.documentElement.dataset.unpainted ?? '0') === '0'

  /** Resolves with the page's clock when `holds` does, every chart is painted, and that is on the screen: the second frame begins after the first is. */
  const until = (holds) =>
    new Promise((resolve, reject) => {
      const began = performance.now()
      const look = () => {
        if (performance.now() - began > 90_000) return reject(new Error(`never came to be: ${holds}`))
        if (!holds()) return requestAnimationFrame(look)
        // One frame for React to ask for the painting of what it was told.
        requestAnimationFrame(() => requestAnimationFrame(settle))
      }
      const settle = () => requestAnimationFrame(() => (isPainted() ? resolve(performance.now()) : settle()))
      look()
    })

  window.ringsideBench = {
    blocks,
    frames,
    until,
    /** What begins within `ms` from now counts as no block. */
    overlook: (ms) => {
      look = { from: performance.now(), until: performance.now() + ms }
    },
    /** Forgets what blocked so far. */
    clear: () => {
      ready = performance.now()
      Object.assign(blocks, { tasks: 0, longestTask: 0, longestOwn: 0, own: '' })
      Object.assign(frames, { count: 0, bytes: 0, largest: 0 })
    },
    /** Goes to an address and says how long it took until `holds`, ms. */
    go: async (hash, holds) => {
      const began = performance.now()
      location.hash = hash
      return (await until(holds)) - began
    },
  }
}
