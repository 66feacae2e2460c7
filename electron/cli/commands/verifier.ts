import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { nodeCommand, programs } from '#services/core/programs.ts'
import { wholeNumber } from '../output.ts'

type Options = {
  suite: string
  repo?: string
  commit?: string
  port: number
  workers: number
  data?: string
  host: string
  tokenFile?: string
}

export function addVerifier(program: Command): void {
  program
    .command('verifier')
    .description('the verifier service by itself')
    .command('serve')
    .description('grade bodies over HTTP in the foreground; prints one line with its address when ready')
    .requiredOption('--suite <dir>', 'suite folder')
    .option('--repo <dir>', 'repository, for suites over one')
    .option('--commit <sha>', 'commit of it')
    .option('--port <port>', 'port; left out, a free one', wholeNumber('--port', 0, 65_535), 0)
    .option('--host <address>', 'address; off loopback a token is required', '127.0.0.1')
    .option('--workers <n>', 'programs at a time', wholeNumber('--workers', 1, 64), 2)
    .option('--data <dir>', 'where it keeps grades and evidence; left out, a folder that goes with it')
    .option('--token-file <file>', 'file with the bearer token')
    .action(serveVerifier)
}

async function serveVerifier(options: Options): Promise<void> {
  const data = options.data ?? (await mkdtemp(join(tmpdir(), 'ringside-verifier-')))
  try {
    process.exitCode = await foreground(options, data)
  } finally {
    if (options.data === undefined) await rm(data, { recursive: true, force: true })
  }
}

function foreground(options: Options, data: string): Promise<number> {
  const { command, env } = nodeCommand()
  const args = [programs.verifier, '--suite', options.suite, '--data', data, '--host', options.host]
  args.push('--port', String(options.port), '--workers', String(options.workers))
  if (options.repo !== undefined) args.push('--repo', options.repo)
  if (options.commit !== undefined) args.push('--commit', options.commit)
  if (options.tokenFile !== undefined) args.push('--token-file', options.tokenFile)
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env } })
    const pass = (name: NodeJS.Signals) => child.kill(name)
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, pass)
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, pass)
      resolve(code ?? (signal ? 128 + constants.signals[signal] : 1))
    })
  })
}
