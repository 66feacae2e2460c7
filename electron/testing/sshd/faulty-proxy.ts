import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

export type FaultyProxy = {
  port: number
  /** Every piece is held back for so long, in both directions. */
  delay(ms: number): void
  /** Resets every connection. */
  cut(): void
  /** Both ends stay connected and hear nothing more: a router that forgot, a laptop that slept. New connections are taken and left alone, too. */
  halfOpen(on: boolean): void
  /** Turns new connections away at once, as long as it is on. */
  refuse(on: boolean): void
}

/** A network between a client and `target` on loopback that does what networks do; gone when the test ends. */
export async function faultyProxy(target: number): Promise<FaultyProxy> {
  let delayMs = 0
  let deaf = false
  let refusing = false
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
    return socket
  }
  const pass = (from: Socket, to: Socket) => {
    // One behind the other, whatever the delay is by then.
    let last: Promise<unknown> = Promise.resolve()
    const later = (work: () => void) => {
      const due = sleep(delayMs)
      last = last.then(() => due).then(work)
    }
    from.on('data', (bytes: Buffer) => {
      // What was on its way when the line went dead never arrives.
      if (!deaf) later(() => deaf || to.write(bytes))
    })
    from.once('close', () => later(() => to.destroy()))
  }
  const server = createServer((near) => {
    keep(near)
    if (refusing) near.resetAndDestroy()
    if (refusing || deaf) return
    const far = keep(connect(target, '127.0.0.1'))
    pass(near, far)
    pass(far, near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  onTestFinished(() => {
    cut()
    server.close()
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    delay: (ms) => {
      delayMs = ms
    },
    cut,
    halfOpen: (on) => {
      deaf = on
    },
    refuse: (on) => {
      refusing = on
    },
  }
}
