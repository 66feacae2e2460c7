import { spawn } from 'node:child_process'
import { z } from 'zod'
import { AppError } from '#shared/base/errors.ts'
import { type ExecSpec, fromFile } from './kubeconfig-file.ts'
import { loginPath } from './login-path.ts'

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? null)

const ExecCredential = z.object({
  kind: z.literal('ExecCredential'),
  status: z.object({
    token: text,
    clientCertificateData: text,
    clientKeyData: text,
    expirationTimestamp: text,
  }),
})

export type Credential = {
  token: string | null
  /** PEM, both or neither. */
  certificate: string | null
  key: string | null
  /** Null: it holds until the server says no. */
  expiresAt: Date | null
}

/** What the plugin is told about the cluster where it asked for that. */
export type ClusterInfo = Record<string, unknown>

/** A plugin may open a browser and wait for a person; it may not hold a request for ever. */
const defaultLimitMs = 30_000

/**
 * Runs a credential plugin as kubectl does, with the PATH of the person's login shell.
 * @param folder that a relative command starts from: the configuration file's.
 * @throws {AppError} `exec_credential`: it could not be started, failed, took too long, or said nothing of use, with its own stderr.
 */
export async function execCredential(
  spec: ExecSpec,
  options: { folder: string; env: NodeJS.ProcessEnv; cluster: ClusterInfo | null; limitMs?: number },
): Promise<Credential> {
  const { folder, env, cluster, limitMs = defaultLimitMs } = options
  const path = await loginPath(env)
  const command = spec.command.includes('/') ? fromFile(folder, spec.command) : spec.command
  const info = {
    apiVersion: spec.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(cluster && { cluster }) },
  }
  const said = await run(command, spec.args ?? [], {
    env: {
      ...env,
      PATH: path,
      ...Object.fromEntries((spec.env ?? []).map(({ name, value }) => [name, value])),
      KUBERNETES_EXEC_INFO: JSON.stringify(info),
    },
    limitMs,
    hint: spec.installHint,
  })
  return parseCredential(command, said)
}

type RunOptions = { env: NodeJS.ProcessEnv; limitMs: number; hint: string | null }

/** In a group of its own, so that what it started ends with it. */
function run(
  command: string,
  args: string[],
  options: RunOptions,
): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: options.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr = (stderr + chunk).slice(-4096)
    })
    let late = false
    const timer = setTimeout(() => {
      late = true
      endGroup(child.pid)
    }, options.limitMs)
    child.once('error', (cause: NodeJS.ErrnoException) => {
      clearTimeout(timer)
      const why = cause.code === 'ENOENT' ? 'there is no such program on the PATH' : cause.message
      const hint = options.hint === null ? {} : { hint: options.hint }
      reject(new AppError('exec_credential', `${command} could not be started: ${why}.`, { cause, ...hint }))
    })
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      if (late)
        reject(failed(command, `did not answer within ${options.limitMs / 1000} s and was ended`, stderr))
      else if (code !== 0) reject(failed(command, `ended with ${signal ?? `code ${code}`}`, stderr))
      else resolve({ stdout, stderr })
    })
  })
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Ended by itself a moment ago.
  }
}

const failed = (command: string, what: string, stderr: string) =>
  new AppError(
    'exec_credential',
    `${command} ${what}${stderr.trim() === '' ? ', saying nothing' : `: ${stderr.trim()}`}.`,
  )

function parseCredential(command: string, said: { stdout: string; stderr: string }): Credential {
  let raw: unknown
  try {
    raw = JSON.parse(said.stdout)
  } catch {
    throw failed(command, 'gave no credential: its output is no JSON', said.stderr)
  }
  const parsed = ExecCredential.safeParse(raw)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw failed(command, `gave no credential: ${issue?.path.join('.')} ${issue?.message}`, said.stderr)
  }
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = parsed.data.status
  const certificate = clientKeyData === null ? null : clientCertificateData
  if (token === null && certificate === null)
    throw failed(command, 'gave a credential with neither token nor certificate', said.stderr)
  return {
    token,
    certificate,
    key: certificate === null ? null : clientKeyData,
    expiresAt: expirationTimestamp === null ? null : new Date(expirationTimestamp),
  }
}
