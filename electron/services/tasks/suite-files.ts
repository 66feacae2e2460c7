import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import { SuiteManifest } from '#shared/domain/suite.ts'
import { suiteDigestInput } from '#shared/domain/suite-digest.ts'

/** A suite's files but `suite.json`, by path inside its folder. */
export type SuiteFiles = Map<string, string>
export type SuiteIdentity = Omit<SuiteManifest, 'sha256' | 'version'>

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * Writes a suite folder as a whole or not at all. A folder that holds a suite already gets the next version, unless nothing changed: what a
 * run has used is never another thing under the same version (a run keeps a copy of its own besides).
 * @throws {AppError} `bad_input` where `folder` is there and holds something else.
 */
export async function writeSuiteFolder(
  folder: string,
  identity: SuiteIdentity,
  files: SuiteFiles,
): Promise<SuiteManifest> {
  const before = await previous(folder)
  const digest = sha256(suiteDigestInput([...files].map(([path, text]) => ({ path, sha256: sha256(text) }))))
  if (before?.sha256 === digest && before.name === identity.name) return before
  const version = before === null ? '1' : String((Number.parseInt(before.version, 10) || 1) + 1)
  const manifest: SuiteManifest = { ...identity, version, sha256: digest }
  const fresh = `${folder}.${process.pid}.new`
  await rm(fresh, { recursive: true, force: true })
  for (const [path, text] of [...files, ['suite.json', `${JSON.stringify(manifest, null, 2)}\n`] as const]) {
    await mkdir(dirname(join(fresh, path)), { recursive: true })
    await writeFile(join(fresh, path), text)
  }
  await rm(folder, { recursive: true, force: true })
  await rename(fresh, folder)
  return manifest
}

/** Refuses a folder that is not ours to replace before any work is done for it. */
export async function previous(folder: string): Promise<SuiteManifest | null> {
  const text = await readFile(join(folder, 'suite.json'), 'utf8').catch(() => null)
  if (text !== null) {
    const parsed = SuiteManifest.safeParse(parseJson(text))
    if (parsed.success) return parsed.data
    throw new AppError('bad_input', `${folder} holds a suite.json that cannot be read.`, {
      hint: 'Name another folder with --out.',
    })
  }
  const there = await readdir(folder).catch((failure: NodeJS.ErrnoException) => {
    if (failure.code === 'ENOENT') return []
    throw new AppError('bad_input', `--out ${folder} cannot be used: ${failure.code}.`)
  })
  if (there.length === 0) return null
  throw new AppError('bad_input', `--out ${folder} holds something that is no suite.`, {
    hint: 'Name a new or empty folder, or one that holds a suite to make the next version of.',
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
