/** Resolves in a task of its own, after what the browser has to do first. Unlike a timer of 0 ms it is not slowed down in a page that is out of sight. */
export const nextTask = () =>
  new Promise<void>((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })
