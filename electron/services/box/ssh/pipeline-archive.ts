import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AppError } from '#shared/base/errors.ts'
import type { PipelineTrainerSpec } from '#shared/domain/run.ts'
import { programs } from '../../core/programs.ts'
import { findPython } from '../../runs/preflight/checks.ts'
import type { BoxFacts } from './facts.ts'
import type { SshLink } from './link.ts'
import { uploadProgram } from './remote.ts'

const run = promisify(execFile)

/**
 * The pipeline's trainer on a box: one archive that Python runs, uploaded once a version.
 * @throws {AppError} `python_missing` where there is none here (to make the archive) or there (to run it).
 */
export async function pipelineProgram(
  { link, root }: { link: SshLink; root: string },
  trainer: PipelineTrainerSpec,
  facts: BoxFacts,
): Promise<string[]> {
  const python = trainer.python ?? facts.python?.path
  if (python === undefined)
    throw new AppError('python_missing', `The pipeline’s trainer needs Python on ${link.name}.`, {
      hint: 'Install Python 3.10 or later there, or name an interpreter in the run’s spec.',
    })
  return [
    python,
    '-B',
    await uploadTrainer(link, root),
    ...(trainer.backend === 'stand_in' ? ['--stand-in'] : []),
  ]
}

/** @returns the archive's path on the box. */
export const uploadTrainer = async (link: SshLink, root: string): Promise<string> =>
  uploadProgram(link, root, 'ringside-trainer.pyz', await archive())

async function archive(): Promise<Uint8Array> {
  const python = await findPython(process.env)
  if (!python)
    throw new AppError('python_missing', 'Sending the pipeline’s trainer to a box needs Python here.')
  const folder = await mkdtemp(join(tmpdir(), 'ringside-archive-'))
  try {
    const out = join(folder, 'ringside-trainer.pyz')
    await run(python.path, ['-B', programs.trainerArchiver, out], { timeout: 60_000 })
    return await readFile(out)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
