import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, extname, join, resolve } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import { newRunId } from '#shared/base/ids.ts'
import type { Outputs } from '#shared/ipc/contract.ts'
import type { Store } from '../store/store.ts'
import type { ImportedRun } from './drawn.ts'
import { layOut } from './lay-out.ts'
import { readTraces } from './traces.ts'
import { readCompletions, readTrainerState } from './trl.ts'

/** A file larger than this is read whole into memory no more. */
const mostBytes = 512 * 1024 * 1024

export type ImportDeps = {
  runsDir: string
  store: Pick<Store, 'evidence' | 'catchUp'>
  now: () => Date
  random: () => number
  onImported: () => void
}

/**
 * Opens other trainers' files as a finished run that nothing holds: TRL's `trainer_state.json` and completions tables, verifiers' and prime-rl's
 * `traces.jsonl`. Files of one call are one run.
 *
 * @throws {AppError} `bad_input` naming the file and what is wrong in it; nothing is written then.
 */
export async function importRun(deps: ImportDeps, files: readonly string[]): Promise<Outputs['runs.import']> {
  const read: ImportedRun[] = []
  let writtenAt = 0
  for (const file of files) {
    const path = resolve(file)
    writtenAt = Math.max(writtenAt, (await statOf(path)).mtimeMs)
    read.push(await readOne(path))
  }
  const imported = together(read)
  if (imported.steps.length === 0 && imported.rollouts.length === 0)
    throw new AppError('bad_input', `${files.join(', ')}: there is no step and no rollout in it.`)
  const run = newRunId(deps.now(), deps.random)
  const { lines, completions } = layOut(run, imported, new Date(writtenAt).toISOString())
  for (const text of completions.values()) await deps.store.evidence.put(Buffer.from(text))
  const folder = join(deps.runsDir, run)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'journal.jsonl'), lines.join(''))
  await deps.store.catchUp(run)
  deps.onImported()
  const steps = new Set([...imported.steps, ...imported.rollouts].flatMap(({ step }) => step ?? []))
  return {
    run,
    from: imported.from,
    steps: steps.size,
    rollouts: imported.rollouts.length,
    notes: imported.notes,
  }
}

async function statOf(path: string) {
  const found = await stat(path).catch((failure: NodeJS.ErrnoException) => {
    throw new AppError('bad_input', `${path} cannot be read: ${failure.code}.`)
  })
  if (!found.isFile()) throw new AppError('bad_input', `${path} is no file.`)
  if (found.size > mostBytes)
    throw new AppError('bad_input', `${path} is larger than ${mostBytes / 1024 ** 2} MiB.`)
  return found
}

async function readOne(path: string): Promise<ImportedRun> {
  const bytes = await readFile(path)
  switch (extname(path)) {
    case '.parquet':
      return readCompletions(path, bytes)
    case '.json':
      return readTrainerState(path, bytes.toString('utf8'))
    case '.jsonl':
      return readTraces(path, bytes.toString('utf8'))
    default:
      throw new AppError('bad_input', `${basename(path)}: neither .json, .jsonl nor .parquet.`, {
        hint: 'Give a trainer_state.json, completions_*.parquet, or a traces.jsonl.',
      })
  }
}

function together(read: readonly ImportedRun[]): ImportedRun {
  const named = read.find(({ steps }) => steps.length > 0) ?? read[0]
  return {
    name: named?.name ?? 'imported',
    from: [...new Set(read.map(({ from }) => from))].join(' and '),
    steps: read.flatMap(({ steps }) => steps),
    rollouts: read.flatMap(({ rollouts }) => rollouts),
    notes: [...new Set(read.flatMap(({ notes }) => notes))],
  }
}
