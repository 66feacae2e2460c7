/**
 * The embedded trainer: `node main.ts --run-dir DIR --verifier URL [--verifier-file FILE] [--token-file FILE]`. Started again in the same folder,
 * it goes on.
 * Exits 0 where the run completed, was stopped or interrupted; otherwise one line on stderr and the error's own code.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { AppError, toAppError } from '#shared/base/errors.ts'
import { SketchRunSpec } from '#shared/domain/run.ts'
import { Control, Ended } from './control.ts'
import { JournalFile } from './journal-file.ts'
import { PatientGrader } from './patient-grader.ts'
import { Recall } from './recall.ts'
import { checkShaping } from './reward.ts'
import { asDiskError, openRunFolder, type RunFolder } from './run-folder.ts'
import { train } from './train.ts'
import { VerifierClient } from './verifier-client.ts'

const log = (text: string) => process.stderr.write(`${new Date().toISOString()} ${text}\n`)

/** One usage line is enough: the console starts this, seldom a person. */
const usage = 'Usage: node main.ts --run-dir DIR --verifier URL [--verifier-file FILE] [--token-file FILE]'

type Arguments = { runDir: string; verifier: string; verifierFile: string | null; token: string | null }

function readArguments(): Arguments {
  try {
    const { values } = parseArgs({
      options: {
        'run-dir': { type: 'string' },
        verifier: { type: 'string' },
        'verifier-file': { type: 'string' },
        'token-file': { type: 'string' },
      },
    })
    const { 'run-dir': runDir, verifier } = values
    if (runDir === undefined || verifier === undefined)
      throw new Error('--run-dir and --verifier are needed.')
    if (!URL.canParse(verifier)) throw new Error(`--verifier ${verifier} is no URL.`)
    const tokenFile = values['token-file']
    const token = tokenFile === undefined ? null : readFileSync(tokenFile, 'utf8').trim()
    return { runDir, verifier, verifierFile: values['verifier-file'] ?? null, token }
  } catch (failure) {
    throw new AppError('bad_input', (failure as Error).message, { hint: usage })
  }
}

function readSpec(path: string): { spec: SketchRunSpec; raw: Record<string, unknown> } {
  let raw: unknown
  try {
    raw = JSON.parse(readFileSync(path, 'utf8'))
  } catch (failure) {
    const missing = (failure as NodeJS.ErrnoException).code === 'ENOENT'
    throw new AppError('bad_spec', `${path} ${missing ? 'is missing' : 'is no JSON'}.`)
  }
  const parsed = SketchRunSpec.safeParse(raw)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new AppError('bad_spec', `${path}: ${issue?.path.join('.') || 'the spec'}: ${issue?.message}.`)
  }
  checkShaping(parsed.data.trainer.shaping)
  return { spec: parsed.data, raw: raw as Record<string, unknown> }
}

/** Between two looks at a full disk. Nothing is lost by waiting: every start takes up where the disk's contents end. */
const diskRetryMs = 3000

async function main(): Promise<void> {
  const { runDir, verifier, verifierFile, token } = readArguments()
  const folder = openRunFolder(runDir)
  const { spec, raw } = readSpec(folder.spec)
  const control = new Control(folder.control)
  process.on('SIGTERM', () => control.interrupt())
  process.on('SIGINT', () => control.interrupt())
  const client = new VerifierClient(verifier, verifierFile, token)
  try {
    while (!(await trained(folder, spec, raw, control, client))) await control.pause(diskRetryMs)
  } catch (failure) {
    if (!(failure instanceof Ended)) throw failure
    log(failure.message)
  } finally {
    control.dispose()
  }
}

/** @returns false where the disk was full: the run has not ended, and the next call goes on with it. */
async function trained(
  folder: RunFolder,
  spec: SketchRunSpec,
  raw: Record<string, unknown>,
  control: Control,
  client: VerifierClient,
): Promise<boolean> {
  let journal: JournalFile | null = null
  try {
    journal = new JournalFile(folder.journal, spec.run)
    const recall = new Recall(journal)
    if (recall.outcome !== null && recall.outcome !== 'interrupted') {
      log(`run ${spec.run} has already ended (${recall.outcome}); nothing to do`)
      return true
    }
    const grader = new PatientGrader({ run: spec.run, suite: spec.suite, client, recall, control, log })
    await train({ spec, folder, recall, control, grader, log }, raw)
    return true
  } catch (failure) {
    const error = toAppError(asDiskError(failure, folder.path))
    if (error.code !== 'disk_full') throw failure
    log(`${error.message} ${error.hint}`)
    return false
  } finally {
    journal?.close()
  }
}

/** EX_TEMPFAIL, for a disk that was full before the run folder could be opened: the supervisor starts the trainer again. */
const startMeAgain = 75

// The log lies on the same disk; a line that finds no room must not end a run that waits for some.
process.stderr.on('error', () => {})

main().catch((failure: unknown) => {
  const error = toAppError(failure)
  process.stderr.write(`${error.code}: ${error.message} ${error.hint}\n`)
  process.exitCode = error.code === 'disk_full' ? startMeAgain : error.exitCode
})
