/**
 * The survey as a program, for the console, which never imports what runs elsewhere:
 * `node program.ts --repo DIR --commit SHA --scratch DIR [--manifest Cargo.toml] [--from marks|candidates]`.
 * Prints the survey as one JSON line; its log goes to stderr, and so does the one line that says why there is none.
 */
import { mkdir } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { AppError, toAppError } from '#shared/base/errors.ts'
import { describeWorkspace } from './describe-workspace.ts'

const log = (text: string) => process.stderr.write(`${text}\n`)

async function main(): Promise<void> {
  const text = { type: 'string' } as const
  const options = { repo: text, commit: text, scratch: text, manifest: text, from: text }
  const { values } = parseArgs({ options, allowPositionals: false })
  const { repo, commit, scratch, manifest = 'Cargo.toml', from } = values
  if (repo === undefined || commit === undefined || scratch === undefined)
    throw new AppError('bad_input', '--repo, --commit and --scratch are needed.')
  await mkdir(scratch, { recursive: true })
  const chosen = from === 'marks' || from === 'candidates' ? from : null
  const survey = await describeWorkspace({ repo, commit, manifest, scratch, from: chosen, log })
  process.stdout.write(`${JSON.stringify(survey)}\n`)
}

main().catch((failure) => {
  const { code, message, hint, exitCode } = toAppError(failure)
  // By its code's own hint the reader knows the error again; a better one goes before it.
  const usual = new AppError(code, '').hint
  process.stderr.write(`${message} ${hint === usual ? '' : `${hint} `}${usual}\n`)
  process.exitCode = exitCode
})
