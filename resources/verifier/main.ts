import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { AppError, toAppError } from '#shared/base/errors.ts'
import { Isolation } from '#shared/domain/grade.ts'
import { isExtractionWorker, runExtractionWorker } from './extraction/worker.ts'
import { checkReach, listen } from './http/server.ts'
import { openService } from './service/verifier-service.ts'

const log = (text: string) => process.stderr.write(`${new Date().toISOString()} ${text}\n`)

async function main(): Promise<void> {
  const flags = readFlags()
  checkReach(flags)
  const service = await openService({ ...flags, log })
  const server = await listen(service, { ...flags, log }).catch(async (failure) => {
    await service.dispose()
    throw failure
  })
  let ending = false
  const end = () => {
    if (ending) return
    ending = true
    void server
      .dispose()
      .then(() => service.dispose())
      .catch((failure) => log(toAppError(failure).message))
      .finally(() => process.exit(0))
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  const { name, version } = service.suite.manifest
  log(`suite ${name} ${version}, ${service.grader.isolationDetail}`)
  if (flags.warm) void service.warm(() => undefined).catch((failure) => log(toAppError(failure).message))
  process.stdout.write(`${JSON.stringify({ listening: { url: server.url, pid: process.pid } })}\n`)
}

function readFlags() {
  const text = { type: 'string' } as const
  const options = {
    suite: text,
    data: text,
    host: text,
    port: text,
    workers: text,
    repo: text,
    commit: text,
    workspace: text,
    'token-file': text,
    'disk-limit': text,
    isolation: text,
    backends: text,
    for: text,
    warm: { type: 'boolean' } as const,
  }
  let values: Partial<Record<Exclude<keyof typeof options, 'warm'>, string>> & { warm?: boolean }
  try {
    values = parseArgs({ options, allowPositionals: false }).values
  } catch (failure) {
    throw new AppError('bad_input', `${(failure as Error).message}.`)
  }
  const needed = (name: 'suite' | 'data'): string => {
    const value = values[name]
    if (value === undefined) throw new AppError('bad_input', `--${name} is missing.`)
    return value
  }
  return {
    suite: needed('suite'),
    data: needed('data'),
    host: values.host ?? '127.0.0.1',
    port: whole('port', values.port ?? '0', 0, 65535),
    workers: whole('workers', values.workers ?? '2', 1, 64),
    repo: values.repo ?? null,
    commit: values.commit ?? null,
    workspace: values.workspace ?? null,
    diskLimitBytes:
      values['disk-limit'] === undefined
        ? null
        : whole('disk-limit', values['disk-limit'], 1, Number.MAX_SAFE_INTEGER),
    token: readToken(values['token-file']),
    isolationRequired: values.isolation === undefined ? null : readIsolation(values.isolation),
    warm: values.warm ?? false,
    remote:
      values.backends === undefined
        ? null
        : { backendsFile: values.backends, sender: values.for ?? 'router' },
  }
}

function whole(name: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw new AppError('bad_input', `--${name} must be a whole number from ${least} to ${most}, not ${text}.`)
}

function readIsolation(text: string): Isolation {
  const level = Isolation.safeParse(text)
  if (level.success) return level.data
  throw new AppError('bad_input', `--isolation must be one of ${Isolation.options.join(', ')}, not ${text}.`)
}

function readToken(path: string | undefined): string | null {
  if (path === undefined) return null
  let token: string
  try {
    token = readFileSync(path, 'utf8').trim()
  } catch {
    throw new AppError('bad_input', `--token-file ${path} cannot be read.`)
  }
  if (token.length < 16)
    throw new AppError('bad_input', `--token-file ${path} holds fewer than 16 characters.`)
  return token
}

// The log may lie on a disk that is full; a line that finds no room must not end the service.
process.stderr.on('error', () => {})

if (isExtractionWorker()) runExtractionWorker()
else {
  main().catch((failure) => {
    const { message, hint, exitCode } = toAppError(failure)
    process.stderr.write(`${message} ${hint}\n`)
    process.exit(exitCode)
  })
}
