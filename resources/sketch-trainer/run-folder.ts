import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AppError } from '#shared/base/errors.ts'

export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')

/** Where everything of one run lies on its box. */
export type RunFolder = {
  path: string
  spec: string
  journal: string
  completions: string
  pending: string
  control: string
  checkpoint(step: number): string
  completion(hash: string): string
}

/** @throws AppError `not_found` where the folder is missing: the launcher makes it, with the spec inside. */
export function openRunFolder(path: string): RunFolder {
  if (!existsSync(path))
    throw new AppError('not_found', `The run folder ${path} does not exist.`, {
      hint: 'Launch the run from the console, or make the folder with a spec.json inside.',
    })
  try {
    for (const folder of ['checkpoints', 'completions']) mkdirSync(join(path, folder), { recursive: true })
  } catch (failure) {
    throw asDiskError(failure, path)
  }
  return {
    path,
    spec: join(path, 'spec.json'),
    journal: join(path, 'events.jsonl'),
    completions: join(path, 'completions'),
    pending: join(path, 'pending.json'),
    control: join(path, 'control.json'),
    checkpoint: (step) => join(path, 'checkpoints', `step-${step}.json`),
    completion: (hash) => join(path, 'completions', hash),
  }
}

/** Writes a file so that after a crash at any moment its name holds the old bytes or the new ones, never a part. */
export function writeAtomically(path: string, text: string): void {
  replaceFile(path, text)
  syncFolder(dirname(path))
}

function replaceFile(path: string, text: string): void {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`)
  try {
    const fd = openSync(temporary, 'w')
    try {
      writeWhole(fd, Buffer.from(text))
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, path)
  } catch (failure) {
    rmSync(temporary, { force: true })
    throw asDiskError(failure, path)
  }
}

/** Writes all of `bytes`: a single write may take only a part of them. */
export function writeWhole(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done)
}

/** Keeps a completion under its hash; the same text again is a no-op. Its name is durable after `syncCompletions`. @returns the hash. */
export function keepCompletion(folder: RunFolder, text: string): string {
  const hash = sha256(text)
  if (!existsSync(folder.completion(hash))) replaceFile(folder.completion(hash), text)
  return hash
}

/** Makes the names of all completions durable, at once for a whole batch. */
export const syncCompletions = (folder: RunFolder): void => syncFolder(folder.completions)

/** The text kept under `hash`, or null where it is missing or its bytes are not what the name says. */
export function readCompletion(folder: RunFolder, hash: string): string | null {
  try {
    const text = readFileSync(folder.completion(hash), 'utf8')
    return sha256(text) === hash ? text : null
  } catch {
    return null
  }
}

/** A full disk, said as such; anything else as it was. */
export function asDiskError(failure: unknown, path: string): unknown {
  const code = (failure as NodeJS.ErrnoException).code
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return failure
  return new AppError('disk_full', `No space left to write ${path}.`, { cause: failure })
}

/** Makes a rename durable. Some file systems refuse to sync a folder; the data itself is synced by then. */
function syncFolder(path: string): void {
  try {
    const fd = openSync(path, 'r')
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch {}
}
