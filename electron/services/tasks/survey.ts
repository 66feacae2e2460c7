import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { AppError } from '#shared/base/errors.ts'
import { Survey } from '#shared/tasks/survey.ts'
import { boxEnvironment } from '../box/local-box.ts'
import { nodeCommand, programs } from '../core/programs.ts'
import type { LeaseLedger } from '../leases/ledger.ts'
import { ownerIdentity, startFailure } from '../verifier/own-verifier.ts'

export type SurveyRequest = {
  ledger: LeaseLedger
  /** A folder of its own is made in it, and removed at the end. */
  scratch: string
  env: NodeJS.ProcessEnv
  repo: string
  commit: string
  manifest: string
  /** Null: the marks where there are any, else every function. */
  from: Survey['from'] | null
  signal?: AbortSignal
  onLog?: (line: string) => void
}

/**
 * What a commit's Rust workspace holds, told by the program that builds and lists its tests in a sandbox.
 * @throws {AppError} what that program said: `git_failed`, `cargo_missing`, `bad_input`, `bad_suite`.
 */
export async function surveyWorkspace(request: SurveyRequest): Promise<Survey> {
  const id = `task-survey/${randomUUID()}`
  const folder = join(request.scratch, id.replace('/', '-'))
  const lease = await request.ledger.intend({
    id: `${id}/folder`,
    run: null,
    kind: 'folder',
    label: `task survey: ${folder}`,
    identity: { path: folder, ...(await ownerIdentity()) },
  })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await request.ledger.hold(lease.id)
  try {
    return Survey.parse(JSON.parse(await runProgram(request, folder)))
  } finally {
    await rm(folder, { recursive: true, force: true })
    await request.ledger.release(lease.id, `no folder ${folder}`)
  }
}

function runProgram(request: SurveyRequest, folder: string): Promise<string> {
  const { repo, commit, manifest, from, signal } = request
  const { command, env } = nodeCommand()
  const args = ['--repo', repo, '--commit', commit, '--manifest', manifest, '--scratch', folder]
  const child = spawn(command, [programs.taskSurvey, ...args, ...(from === null ? [] : ['--from', from])], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...boxEnvironment(request.env), ...env },
    ...(signal && { signal }),
  })
  const out: Buffer[] = []
  const said: string[] = []
  child.stdout.on('data', (bytes: Buffer) => out.push(bytes))
  createInterface({ input: child.stderr }).on('line', (line) => {
    said.push(line)
    request.onLog?.(line)
  })
  return new Promise((resolve, reject) => {
    child.once('error', (failure) =>
      reject(signal?.aborted ? new AppError('unresolved', 'The survey was stopped.') : failure),
    )
    child.once('close', (code) => {
      if (code === 0) resolve(Buffer.concat(out).toString('utf8'))
      else reject(startFailure(said, code, 'The survey'))
    })
  })
}
