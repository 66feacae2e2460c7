import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { Disposable } from '#shared/base/disposable.ts'

/** A way to another address through this machine that can be cut on purpose: to measure and to test what comes back. */
export class Relay implements Disposable {
  private readonly pairs = new Set<[near: Socket, far: Socket]>()
  private readonly server: Server
  /** Connections since the start. */
  taken = 0

  constructor(to: { host: string; port: number }) {
    this.server = createServer((near) => this.join(near, connect(to.port, to.host)))
  }

  /** @returns the port of this machine that leads there. */
  async listen(): Promise<number> {
    await new Promise<void>((listening) => this.server.listen(0, '127.0.0.1', listening))
    return (this.server.address() as AddressInfo).port
  }

  /** Ends every connection at once; new ones work. */
  cut(): void {
    for (const [near, far] of this.pairs) {
      near.destroy()
      far.destroy()
    }
  }

  /** Connections that are open stay so, and nothing comes through them any more; new ones work. */
  freeze(): void {
    for (const [near, far] of this.pairs) {
      near.unpipe(far).pause()
      far.unpipe(near).pause()
    }
  }

  async dispose(): Promise<void> {
    this.cut()
    await new Promise<void>((closed) => this.server.close(() => closed()))
  }

  private join(near: Socket, far: Socket): void {
    this.taken += 1
    const pair: [Socket, Socket] = [near, far]
    this.pairs.add(pair)
    near.pipe(far)
    far.pipe(near)
    for (const socket of pair) {
      socket.on('error', () => undefined)
      socket.on('close', () => {
        this.pairs.delete(pair)
        near.destroy()
        far.destroy()
      })
    }
  }
}
