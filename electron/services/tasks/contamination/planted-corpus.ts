import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Container, containers, type Disguise, disguises } from './disguises.ts'
import { inventBoilerplate, inventFunction, prose, seeded } from './invented-code.ts'

export type Planted = {
  folder: string
  bytes: number
  /** Each in one place of the corpus. */
  copies: { id: string; body: string; disguise: Disguise; container: Container }[]
  /** In no place of it, but made by the same generator. */
  unrelated: { id: string; body: string }[]
  /** Of shapes that the corpus holds thousands of times with other names. */
  boilerplate: { id: string; body: string }[]
}

const kinds = Object.keys(containers) as Container[]
const ways = Object.keys(disguises) as Disguise[]
const names: Record<Container, string> = {
  tree: 'tree/lib.rs',
  markdown: 'notes.md',
  jsonl: 'corpus.jsonl',
  agent_log: 'agent.log',
  text: 'prose.txt',
}
/** Filler that is made once a file and written again and again: making all of it would take longer than reading it. */
const blockBytes = 8 * 1024 * 1024

/**
 * Writes a corpus of at least `bytes`, in equal parts JSONL, logs, Markdown, text and code, with every disguise of a body in every container
 * once, each body's copy somewhere else.
 */
export async function plantCorpus(folder: string, bytes: number, seed = 1): Promise<Planted> {
  const random = seeded(seed)
  const copies = kinds.flatMap((container) =>
    ways.map((disguise) => ({
      id: `${container}-${disguise}`,
      body: inventFunction(random).body,
      disguise,
      container,
    })),
  )
  const unrelated = list(100, (at) => ({ id: `unrelated-${at}`, body: inventFunction(random).body }))
  const boilerplate = list(60, (at) => ({ id: `boilerplate-${at}`, body: inventBoilerplate(random).body }))
  let written = 0
  for (const container of kinds) {
    const own = copies.filter((copy) => copy.container === container)
    written += await writeFile(join(folder, names[container]), container, own, bytes / kinds.length, seed)
  }
  return { folder, bytes: written, copies, unrelated, boilerplate }
}

const list = <T>(length: number, make: (at: number) => T): T[] => Array.from({ length }, (_, at) => make(at))

async function writeFile(
  path: string,
  container: Container,
  copies: Planted['copies'],
  bytes: number,
  seed: number,
): Promise<number> {
  await mkdir(join(path, '..'), { recursive: true })
  const put = containers[container]
  const block = filler(put, Math.min(blockBytes, bytes), seed + kinds.indexOf(container) + 1)
  const out = createWriteStream(path)
  const rounds = Math.max(1, Math.ceil(bytes / block.length))
  const planted = copies.map(({ body, disguise }, at) => ({
    after: Math.floor(((at + 1) * rounds) / (copies.length + 1)),
    text: put(`fn copied() ${disguises[disguise](body)}`),
  }))
  let written = 0
  for (let round = 0; round < rounds; round += 1) {
    const here = planted.filter(({ after }) => after === round).map(({ text }) => Buffer.from(text))
    for (const piece of [...here, block]) {
      written += piece.length
      if (!out.write(piece)) await once(out, 'drain')
    }
  }
  out.end()
  await once(out, 'close')
  return written
}

function filler(put: (code: string) => string, bytes: number, seed: number): Buffer {
  const random = seeded(seed * 7919)
  const parts: string[] = []
  for (let length = 0; length < bytes; ) {
    const code = list(6, () => inventFunction(random).text).join('\n')
    const part = put(`${code}\n${inventBoilerplate(random).text}// ${prose(random, 20)}\n`)
    parts.push(part)
    length += part.length
  }
  return Buffer.from(parts.join(''))
}
