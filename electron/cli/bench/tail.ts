import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { boxFacts } from '#services/box/ssh/facts.ts'
import type { SshLink } from '#services/box/ssh/link.ts'
import { shCommand, shOrThrow } from '#services/box/ssh/remote.ts'
import { remoteFiles } from '#services/box/ssh/remote-files.ts'
import type { OpenCore } from '#services/core/core.ts'
import { Tail, wholeLines } from '#services/telemetry/tail.ts'
import { AppError } from '#shared/base/errors.ts'
import { LineCutter } from '#shared/journal/decode.ts'
import type { BenchReport } from '../commands/bench.ts'

/** About 2 MB a second for ten seconds: far more than a run writes, less than either reader can take. */
const linesPerTick = 400
const tickMs = 20
const ticks = 500
const cuts = 3

/** Writes numbered lines to `log`, and moves it to `log.1` half-way. `$1` is Node, `$2` the folder. */
const writer = `const fs = require("node:fs"); const path = process.argv[1] + "/log"; let n = 0; let tick = 0;
let file = fs.openSync(path, "a");
const timer = setInterval(() => {
  if (tick === ${ticks / 2}) { fs.closeSync(file); fs.renameSync(path, path + ".1"); file = fs.openSync(path, "a") }
  let text = ""; for (let i = 0; i < ${linesPerTick}; i += 1) text += String(n++).padStart(9, "0") + " ${'x'.repeat(240)}\\n";
  fs.writeSync(file, text); tick += 1;
  if (tick === ${ticks}) { clearInterval(timer); console.log(n) }
}, ${tickMs})`.replaceAll('\n', ' ')

/**
 * The same growing file of a box read twice in one run: by the console's tail, its link cut three times and the file rotated once, and by the system's
 * `ssh … tail -F`, left alone.
 */
export async function benchTail(
  core: OpenCore,
  named: string,
  progress: (text: string) => void,
): Promise<BenchReport> {
  const { boxes } = core.parts
  const { id, target } = boxes.find(named)
  const link = boxes.link(id)
  const { node } = await boxFacts(link)
  if (!node) throw new AppError('not_found', `There is no Node on ${link.name}.`)
  const made = await shOrThrow(link, 'make a folder', 'd=$(mktemp -d) && : > "$d/log" && echo "$d"')
  const folder = made.trim()
  const plain = new PlainReader(target, `${folder}/log`)
  const console_ = new ConsoleReader(link, folder)
  try {
    await plain.ready
    const writing = link.channel(shCommand('exec "$1" -e "$2" "$3"', [node.path, writer, folder]))
    const cut = cutNowAndThen(link, progress)
    // From when all that is used once is loaded to when all is written.
    const early = sleep((ticks * tickMs) / 4).then(heldBytes)
    await Promise.all([written(await writing), cut])
    const grownMb = (heldBytes() - (await early)) / 1e6
    await plain.settled()
    const [ours, theirs] = [console_.count, plain.lines]
    progress('waiting for the rest')
    const all = ticks * linesPerTick
    for (let tries = 0; console_.count < all && tries < 100; tries += 1) await sleep(100)
    return {
      name: 'tail',
      figures: [
        {
          name: 'lines through the console ÷ through ssh tail -F',
          ratio: ours / theirs,
          value: ours,
          unit: 'lines',
        },
        { name: 'lines written', ratio: null, value: all, unit: 'lines' },
        {
          name: 'lost over the cuts and the rotation',
          ratio: null,
          value: all - console_.count,
          unit: 'lines',
        },
        { name: 'doubled', ratio: null, value: console_.doubled, unit: 'lines' },
        { name: 'cuts', ratio: null, value: link.state.connects - 1, unit: '' },
        { name: 'memory grown over the last three quarters', ratio: null, value: grownMb, unit: 'MB' },
      ],
    }
  } finally {
    plain.end()
    await console_.end()
    await link.exec(shCommand('rm -rf "$1"', [folder])).catch(() => undefined)
  }
}

/** What is in use after a collection of garbage: the size of the process says more about the collector than about us. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

type Channel = Awaited<ReturnType<SshLink['channel']>>

/** Resolves when the writer has written all; its channel is on a link that is cut, so its own end is not waited for. */
async function written(channel: Channel): Promise<void> {
  channel.on('error', () => undefined)
  channel.resume()
  await sleep(ticks * tickMs * 1.1 + 500)
}

/** Breaks the link as a network does: the socket is gone, nobody says goodbye. */
async function cutNowAndThen(link: SshLink, progress: (text: string) => void): Promise<void> {
  for (let done = 0; done < cuts; done += 1) {
    await sleep((ticks * tickMs) / (cuts + 1))
    progress(`cut ${done + 1} of ${cuts}`)
    link.breakOff()
  }
}

/** The product's own way: a resumable tail over commands on the box. */
class ConsoleReader {
  /** Distinct lines so far. */
  count = 0
  doubled = 0
  /** One byte a line: what is counted must not be what grows. */
  private readonly seen = new Uint8Array(ticks * linesPerTick)
  private readonly tail: Tail

  constructor(link: SshLink, folder: string) {
    this.tail = new Tail({
      files: remoteFiles(link, folder),
      path: 'log',
      rotatedTo: 'log.1',
      offset: 0,
      pollMs: 200,
      now: () => new Date(),
      take: (bytes) => this.take(bytes),
      onReplaced: () => 0,
    }).start()
  }

  end(): Promise<void> {
    return this.tail.dispose()
  }

  private take(bytes: Uint8Array): number {
    const whole = wholeLines(bytes)
    for (const line of new TextDecoder().decode(bytes.subarray(0, whole)).split('\n')) {
      if (line === '') continue
      const number = Number(line.slice(0, 9))
      if (this.seen[number] === 1) this.doubled += 1
      else this.count += 1
      this.seen[number] = 1
    }
    return whole
  }
}

/** The system's own client, with the user's own configuration. */
class PlainReader {
  lines = 0
  readonly ready: Promise<void>
  private readonly child
  private last = 0

  constructor(target: string, path: string) {
    const config = process.env.RINGSIDE_SSH_CONFIG
    const options = ['-o', 'BatchMode=yes', ...(config ? ['-F', config] : [])]
    const command = `echo ready; exec tail -n +1 -F '${path}' 2> /dev/null`
    this.child = spawn('ssh', [...options, target, command], { stdio: ['ignore', 'pipe', 'pipe'] })
    const cutter = new LineCutter((bytes) => new TextDecoder().decode(bytes))
    let said = ''
    this.child.stderr.on('data', (bytes: Buffer) => {
      said += bytes
    })
    this.ready = new Promise((resolve, reject) => {
      this.child.stdout.on('data', (bytes: Buffer) => {
        this.last = Date.now()
        for (const { text } of cutter.push(bytes)) {
          if (text === 'ready') resolve()
          else this.lines += 1
        }
      })
      this.child.once('close', () =>
        reject(new AppError('unreachable', `ssh ${target} ended: ${said.trim().split('\n').at(-1)}`)),
      )
    })
  }

  /** When nothing has come for a second. */
  async settled(): Promise<void> {
    while (Date.now() - this.last < 1_000) await sleep(100)
  }

  end(): void {
    this.ready.catch(() => undefined)
    this.child.kill()
  }
}
