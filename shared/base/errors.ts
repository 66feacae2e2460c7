/**
 * Every failure the product can show, in one table. The code is stable and machine-readable; the hint says what to do next; `exit` is the
 * command line's exit code (1 does not hold, 2 bad input, 3 unreachable or unresolved); `retryable` tells clients whether the same call may
 * succeed later.
 */
const table = {
  bad_input: { exit: 2, retryable: false, hint: 'Correct the named field and try again.' },
  bad_spec: { exit: 2, retryable: false, hint: 'Correct the named field of the run spec.' },
  bad_suite: {
    exit: 2,
    retryable: false,
    hint: 'Point at a suite folder with a valid suite.json and tasks.jsonl.',
  },
  bad_filter: {
    exit: 2,
    retryable: false,
    hint: 'Use field:value or field<number; see the keys help for the fields.',
  },
  not_found: { exit: 2, retryable: false, hint: 'List what exists and use one of its names.' },
  unknown_task: { exit: 2, retryable: false, hint: 'List the suite’s tasks with GET /v1/tasks.' },
  too_large: { exit: 2, retryable: false, hint: 'Send less at once; the limit is in the message.' },
  id_conflict: {
    exit: 2,
    retryable: false,
    hint: 'A graded id keeps its body; send the new body under a new id.',
  },
  content_conflict: {
    exit: 1,
    retryable: false,
    hint: 'The stored bytes differ from their name; keep both and inspect the disk.',
  },
  spec_frozen: { exit: 1, retryable: false, hint: 'Start a new run; a started run’s spec never changes.' },
  controls_failed: {
    exit: 1,
    retryable: false,
    hint: 'Open the failing control; fix the suite or grader, or give a typed reason.',
  },
  preflight_failed: {
    exit: 1,
    retryable: false,
    hint: 'Follow the remedy of each failing row and check again.',
  },
  already_open: {
    exit: 1,
    retryable: false,
    hint: 'Close the other console on this data folder, or use another with RINGSIDE_HOME.',
  },
  not_running: { exit: 1, retryable: false, hint: 'Nothing is running under that name.' },
  port_in_use: {
    exit: 2,
    retryable: false,
    hint: 'Choose another port, or leave --port out to take a free one.',
  },
  python_missing: {
    exit: 2,
    retryable: false,
    hint: 'Install Python 3.10 or later, or set RINGSIDE_PYTHON to its path.',
  },
  cargo_missing: {
    exit: 2,
    retryable: false,
    hint: 'Install the Rust toolchain so that `cargo` is on the PATH.',
  },
  git_failed: {
    exit: 2,
    retryable: false,
    hint: 'Check the repository path and that the commit exists in it.',
  },
  ssh_config: {
    exit: 2,
    retryable: false,
    hint: 'Try `ssh -G` with the same name in a terminal and correct what it names.',
  },
  host_not_found: { exit: 3, retryable: true, hint: 'Check the name’s spelling and the network connection.' },
  connection_refused: {
    exit: 3,
    retryable: true,
    hint: 'Check the port, and that sshd runs on that machine.',
  },
  no_route: { exit: 3, retryable: true, hint: 'Check the network, the VPN, and that the machine is on.' },
  not_ssh: { exit: 2, retryable: false, hint: 'Check the port: what answers there is not an SSH server.' },
  host_key_unknown: {
    exit: 1,
    retryable: false,
    hint: 'Compare the fingerprint with one from the machine’s owner or console, then trust it.',
  },
  host_key_changed: {
    exit: 1,
    retryable: false,
    hint: 'Nothing was sent. If this is a new machine at an old address, trust it as a new box with a new key.',
  },
  host_key_revoked: {
    exit: 1,
    retryable: false,
    hint: 'Nothing was sent. Ask the machine’s owner why its key was revoked.',
  },
  known_hosts_unreadable: {
    exit: 2,
    retryable: false,
    hint: 'Make the named file readable, or correct the named line; until then nothing is sent.',
  },
  login_denied: {
    exit: 2,
    retryable: false,
    hint: 'Check the user name and that its key is on the machine.',
  },
  key_permissions: { exit: 2, retryable: false, hint: 'Run `chmod 600` on the key file.' },
  key_unreadable: { exit: 2, retryable: false, hint: 'Check the path and format of the key file.' },
  passphrase_needed: {
    exit: 2,
    retryable: false,
    hint: 'Give the key’s passphrase; it is kept in memory only.',
  },
  agent_dead: {
    exit: 2,
    retryable: false,
    hint: 'Start the agent and add the key with `ssh-add`, or name a key file with IdentityFile.',
  },
  bad_kubeconfig: {
    exit: 2,
    retryable: false,
    hint: 'Correct the named file, or set KUBECONFIG to the right one.',
  },
  exec_credential: {
    exit: 3,
    retryable: true,
    hint: 'Run the named command in a terminal; log in there if it asks for that, then try again.',
  },
  cluster_changed: {
    exit: 1,
    retryable: false,
    hint: 'Nothing was sent to it. Use a context that leads to the cluster that the run was pinned to.',
  },
  cluster_read_only: {
    exit: 1,
    retryable: false,
    hint: 'Make sure that it is the right one; then allow changes in Clusters, or by `ringside clusters allow CONTEXT`.',
  },
  kube_unauthorized: {
    exit: 2,
    retryable: false,
    hint: 'Log in to the cluster again (an expired token, a revoked certificate), then try again.',
  },
  kube_forbidden: {
    exit: 2,
    retryable: false,
    hint: 'Ask the cluster’s administrator for the named verb on the named resource.',
  },
  kube_not_found: { exit: 2, retryable: false, hint: 'Look at what exists in that namespace.' },
  kube_conflict: {
    exit: 1,
    retryable: true,
    hint: 'The object is there already or changed meanwhile; look at it, then try again.',
  },
  kube_gone: { exit: 3, retryable: true, hint: 'The server forgot that version; list again.' },
  kube_invalid: {
    exit: 2,
    retryable: false,
    hint: 'The cluster refused the object; the message names the field.',
  },
  disk_full: { exit: 3, retryable: true, hint: 'Free disk space; the run waits and continues by itself.' },
  unreachable: {
    exit: 3,
    retryable: true,
    hint: 'Check that it is running and reachable; nothing was lost.',
  },
  unresolved: {
    exit: 3,
    retryable: true,
    hint: 'What happened is unknown; look at the evidence before acting.',
  },
  timed_out: {
    exit: 3,
    retryable: true,
    hint: 'It took longer than its limit; look at the logs, then try again.',
  },
  unauthorized: {
    exit: 2,
    retryable: false,
    hint: 'Open the URL that `ringside serve` printed; its token works once.',
  },
  leaked: { exit: 1, retryable: false, hint: 'Run `ringside teardown RUN` again; what is left is named.' },
  corrupt: { exit: 1, retryable: false, hint: 'The named record is damaged; the rest was kept.' },
  internal: { exit: 3, retryable: false, hint: 'This is a fault in Ringside; the log file has the details.' },
} as const satisfies Record<string, { exit: 1 | 2 | 3; retryable: boolean; hint: string }>

export type ErrorCode = keyof typeof table

/** A failure in the form that crosses every boundary: IPC, HTTP, the command line. */
export type ErrorInfo = { code: ErrorCode; message: string; hint: string; retryable: boolean }

export const errorCodes = Object.keys(table) as ErrorCode[]

export class AppError extends Error {
  readonly code: ErrorCode
  readonly hint: string

  /** @param message one clear sentence: what happened, with the value at fault. @param hint replaces the table's next step where a better one is known. */
  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.hint = options.hint ?? table[code].hint
  }

  get retryable(): boolean {
    return table[this.code].retryable
  }

  get exitCode(): 1 | 2 | 3 {
    return table[this.code].exit
  }

  get info(): ErrorInfo {
    return { code: this.code, message: this.message, hint: this.hint, retryable: this.retryable }
  }
}

/** Anything thrown, as an `AppError`: its own, or `internal` with the original kept as cause. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new AppError('internal', message, { cause: thrown })
}
