import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { AppError } from '#shared/base/errors.ts'
import { apiLimits, GradeItem } from '#shared/domain/verifier.ts'
import { Progress, printJson, wholeNumber } from '../output.ts'
import { type VerifierOptions, withVerifier, withVerifierOptions } from '../with-verifier.ts'

/** The name under which a command's own verifier keeps its grades. */
const runName = 'command'

export function addGrade(program: Command): void {
  const command = program
    .command('grade')
    .description('grade bodies by a suite; NDJSON on stdout, one grade as each finishes')
  withVerifierOptions(command)
    .requiredOption('--in <file>', 'lines {id, task, body} or {id, task, completion}; - is stdin')
    .option('--workers <n>', 'programs at a time', wholeNumber('--workers', 1, 64), 2)
    .option('--json', 'as always here')
    .action(grade)
}

async function grade(options: VerifierOptions & { in: string }): Promise<void> {
  const items = parseItems(await readInput(options.in), options.in)
  const progress = new Progress()
  const silent = await withVerifier(options, 'ringside grade', async (client, stopped) => {
    let done = 0
    let unknown = 0
    for (const batch of batches(items)) {
      for await (const line of client.grade({ run: runName, items: batch }, stopped)) {
        printJson(line)
        done += 1
        if (line.reward === null) unknown += 1
        progress.show('grading', `${done} of ${items.length}`, done / items.length)
      }
    }
    progress.close()
    const missing = items.length - done
    if (missing > 0) throw new AppError('unresolved', `${missing} of ${items.length} bodies got no grade.`)
    return unknown
  })
  if (silent > 0)
    throw new AppError('unresolved', `${silent} of ${items.length} bodies have no known reward.`)
}

async function readInput(path: string): Promise<string> {
  if (path === '-') {
    const chunks: Buffer[] = []
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString('utf8')
  }
  return readFile(path, 'utf8').catch((failure: NodeJS.ErrnoException) => {
    throw new AppError('bad_input', `--in ${path} cannot be read: ${failure.code ?? failure.message}.`)
  })
}

/** @throws {AppError} `bad_input`, naming the line at fault. */
function parseItems(text: string, path: string): GradeItem[] {
  const items: GradeItem[] = []
  const seen = new Map<string, number>()
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const item = parseItem(line, `${path}, line ${index + 1}`)
    const before = seen.get(item.id)
    if (before !== undefined) {
      throw new AppError(
        'bad_input',
        `${path}, line ${index + 1}: id ${item.id} is already that of line ${before}.`,
      )
    }
    seen.set(item.id, index + 1)
    items.push(item)
  }
  if (items.length === 0) throw new AppError('bad_input', `${path} holds no line to grade.`)
  return items
}

function parseItem(line: string, where: string): GradeItem {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new AppError('bad_input', `${where}: is no JSON.`)
  }
  const parsed = GradeItem.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const field = issue?.path.join('.')
  throw new AppError('bad_input', `${where}: ${field ? `${field}: ` : ''}${issue?.message}.`)
}

/** Within the API's limits of items and bytes a request. */
function* batches(items: GradeItem[]): Generator<GradeItem[]> {
  let batch: GradeItem[] = []
  let bytes = 0
  for (const item of items) {
    const size = Buffer.byteLength(JSON.stringify(item)) + 1
    if (
      batch.length === apiLimits.batchItems ||
      (batch.length > 0 && bytes + size > apiLimits.requestBytes / 2)
    ) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(item)
    bytes += size
  }
  if (batch.length > 0) yield batch
}
