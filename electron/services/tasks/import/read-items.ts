import { normaliseAnswer } from '#shared/tasks/answers.ts'
import { type Item, type ItemDrop, type ItemFault, type Reader, Unusable } from './item.ts'
import { fileHash, linesOf } from './lines.ts'

export type ReadItems = { items: Item[]; dropped: ItemDrop[]; found: number; sha256: string; name: string }

/** Reads a file of items; every line that holds anything is either an item or dropped with its reason. */
export async function readItems(path: string, read: Reader): Promise<ReadItems> {
  const hash = fileHash()
  const items: Item[] = []
  const dropped: ItemDrop[] = []
  let found = 0
  for await (const { number, text, fault } of linesOf(path, (bytes) => hash.update(bytes))) {
    found += 1
    try {
      if (fault !== null) throw new Unusable(fault)
      items.push(read(objectOf(text ?? ''), number))
    } catch (failure) {
      if (!(failure instanceof Unusable)) throw failure
      dropped.push(dropOf(`line-${number}`, number, failure.fault, failure.detail))
    }
  }
  const twice = withoutTwins(items)
  dropped.push(...twice.dropped)
  dropped.sort((a, b) => a.line - b.line)
  return {
    items: twice.items,
    dropped,
    found,
    sha256: hash.digest('hex'),
    name: path.split(/[\\/]/).at(-1) ?? path,
  }
}

export const dropOf = (task: string, line: number, reason: ItemFault, detail: string): ItemDrop => ({
  task,
  line,
  reason,
  detail,
})

function objectOf(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Unusable('not_json')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw new Unusable('not_an_object')
}

/** What an item holds to be right, however it is written. */
const saidBy = ({ mode, cases }: Item): string =>
  mode === 'answer'
    ? cases.map(({ expected }) => normaliseAnswer(String(JSON.parse(expected)))).join()
    : JSON.stringify(cases)

/** Of equal questions the first stays; where their answers differ none does, for which of them is right nobody here can say. */
function withoutTwins(items: readonly Item[]): { items: Item[]; dropped: ItemDrop[] } {
  const ids = new Map<string, number>()
  const dropped: ItemDrop[] = []
  const distinct: Item[] = []
  for (const item of items) {
    const before = ids.get(item.id)
    if (before === undefined) {
      ids.set(item.id, item.line)
      distinct.push(item)
    } else dropped.push(dropOf(item.id, item.line, 'duplicate_uuid', `line ${before} has it`))
  }
  const byQuestion = Map.groupBy(distinct, (item) => item.prompt.replaceAll(/\s+/g, ' '))
  const kept: Item[] = []
  for (const twins of byQuestion.values()) {
    const [first, ...others] = twins
    if (!first) continue
    const lines = twins.map(({ line }) => line).join(', ')
    const answers = new Set(twins.map(saidBy))
    if (answers.size === 1) kept.push(first)
    for (const item of answers.size === 1 ? others : twins)
      dropped.push(
        dropOf(
          item.id,
          item.line,
          answers.size === 1 ? 'duplicate_query' : 'conflicting_duplicate',
          `lines ${lines}`,
        ),
      )
  }
  return { items: kept.sort((a, b) => a.line - b.line), dropped }
}
