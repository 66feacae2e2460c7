import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { Disposable } from '#shared/base/disposable.ts'
import { Emitter } from '#shared/base/emitter.ts'
import { AppError } from '#shared/base/errors.ts'
import { Box, newBoxId } from '#shared/domain/box.ts'
import { parseTarget } from '#shared/ssh/client-config.ts'
import { writeAtomic } from '../atomic-write.ts'
import { boxFacts } from './facts.ts'
import { HostKeys } from './host-keys.ts'
import { SshLink } from './link.ts'

export type BoxesOptions = {
  /** The list of boxes, and the console's own host keys. */
  file: string
  hostKeys: string
  env: NodeJS.ProcessEnv
  now: () => Date
  /** How patient links are; see `LinkOptions` and `ConnectOptions`. */
  patience?: { overdueMs?: number; keepaliveMs?: number }
}

const BoxesFile = z.object({ v: z.literal(1), boxes: z.array(Box) })

/** The machines behind SSH that the console knows, each with its one link. */
export class Boxes implements Disposable {
  private readonly options: BoxesOptions
  private readonly links = new Map<string, SshLink>()
  /** Typed by a person, by key file; never written anywhere. */
  private readonly passphrases = new Map<string, string>()
  private readonly changed = new Emitter<{ box: string }>()
  private readonly hostKeys: HostKeys
  private boxes: Box[]

  private constructor(options: BoxesOptions, boxes: Box[]) {
    this.options = options
    this.boxes = boxes
    this.hostKeys = new HostKeys(options.hostKeys)
  }

  /** @throws {AppError} `corrupt` where the list cannot be read: an empty one in its place would lose the boxes. */
  static async open(options: BoxesOptions): Promise<Boxes> {
    const text = await readFile(options.file, 'utf8').catch((failure: NodeJS.ErrnoException) => {
      if (failure.code === 'ENOENT') return null
      throw failure
    })
    if (text === null) return new Boxes(options, [])
    try {
      return new Boxes(options, BoxesFile.parse(JSON.parse(text)).boxes)
    } catch (cause) {
      throw new AppError('corrupt', `The list of boxes ${options.file} cannot be read.`, { cause })
    }
  }

  onDidChange(listener: (change: { box: string }) => void): () => void {
    return this.changed.on(listener)
  }

  list(): Box[] {
    return this.boxes
  }

  /** By id, name or target. @throws {AppError} `not_found`. */
  find(named: string): Box {
    const found = this.boxes.find((box) => [box.id, box.name, box.target].includes(named))
    if (found) return found
    throw new AppError('not_found', `There is no box ${named}.`, {
      hint: 'See the list of boxes, or add it.',
    })
  }

  /** Adds a box, without reaching for it; the same target again is the same box. */
  async add(target: string, name?: string): Promise<Box> {
    const text = target.trim()
    if (!parseTarget(text))
      throw new AppError('bad_input', `${JSON.stringify(target)} is no alias and no user@host:port.`)
    const known = this.boxes.find((box) => box.target === text)
    if (known) return known
    const id = newBoxId(
      text,
      this.boxes.map((box) => box.id),
    )
    const box = Box.parse({
      id,
      name: name?.trim() || text,
      target: text,
      root: null,
      addedAt: this.options.now().toISOString(),
    })
    await this.save([...this.boxes, box], box.id)
    return box
  }

  async remove(id: string): Promise<void> {
    this.find(id)
    await this.links.get(id)?.dispose()
    this.links.delete(id)
    await this.save(
      this.boxes.filter((box) => box.id !== id),
      id,
    )
  }

  link(id: string): SshLink {
    const known = this.links.get(id)
    if (known) return known
    const { now } = this.options
    // A box that was removed may still be named by an old run: its link says so when it is used.
    const name = this.boxes.find((box) => box.id === id)?.name ?? id
    const { overdueMs } = this.options.patience ?? {}
    const link = new SshLink({
      name,
      now,
      connect: (onStep) => this.connect(this.find(id), onStep),
      ...(overdueMs !== undefined && { overdueMs }),
    })
    link.onDidChange(() => this.changed.emit({ box: id }))
    this.links.set(id, link)
    return link
  }

  /** The folder on the box that everything of the console's lies in; reaches for the box the first time. */
  async root(id: string): Promise<string> {
    const box = this.find(id)
    if (box.root !== null) return box.root
    const root = `${(await boxFacts(this.link(id))).home}/.ringside`
    await this.save(
      this.boxes.map((one) => (one.id === id ? { ...one, root } : one)),
      id,
    )
    return root
  }

  /**
   * Trusts the key that the box's link was refused over, if it still is this one, and connects.
   * @throws {AppError} `bad_input` where the question is no longer that one.
   */
  async trust(id: string, fingerprint: string): Promise<void> {
    const link = this.link(id)
    const question = link.state.hostKey
    if (!question || question.fingerprint !== fingerprint)
      throw new AppError('bad_input', `${link.name} does not ask about ${fingerprint}.`, {
        hint: 'Test the box again and compare the fingerprint that it shows.',
      })
    await this.hostKeys.trust(question)
    await link.reconnect()
  }

  /** Takes a passphrase for the key file that the box's link waits for, and connects. */
  async unlock(id: string, passphrase: string): Promise<void> {
    const link = this.link(id)
    const file = link.state.passphraseFor
    if (file === null) throw new AppError('bad_input', `${link.name} does not ask for a passphrase.`)
    this.passphrases.set(file, passphrase)
    await link.reconnect()
  }

  /** After a sleep of this machine: looks whether each link still lives. */
  async probeAll(): Promise<void> {
    await Promise.all([...this.links.values()].map((link) => link.probe()))
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.links.values()].map((link) => link.dispose()))
    this.links.clear()
    this.passphrases.clear()
  }

  private async connect(box: Box, onStep: (step: string) => void) {
    const { env } = this.options
    onStep(`resolve ${box.target}`)
    // Loaded when first needed: most consoles reach for no box in most of their time.
    const { connectBox } = await import('./connect-box.ts')
    const { hostKeys, passphrases } = this
    const { keepaliveMs } = this.options.patience ?? {}
    return connectBox({
      name: box.name,
      target: box.target,
      hostKeys,
      passphrases,
      env,
      onStep,
      ...(keepaliveMs !== undefined && { keepaliveMs }),
    })
  }

  private async save(boxes: Box[], changed: string): Promise<void> {
    await writeAtomic(this.options.file, `${JSON.stringify({ v: 1, boxes }, null, 2)}\n`)
    this.boxes = boxes
    this.changed.emit({ box: changed })
  }
}
