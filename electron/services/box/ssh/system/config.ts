import type { Hop } from '../resolve.ts'

/**
 * The configuration with which the system's own `ssh` is started for the console: what must hold stands first, since the first value found wins, and
 * the user's own follows. A file, not options: only a file is handed on to the `ssh` that OpenSSH starts for each jump.
 *
 * @param ownKnownHosts the console's file, read besides each hop's own. @param userFiles absolute paths; those that are not there are passed over.
 */
export function systemConfig(
  hops: readonly Hop[],
  ownKnownHosts: string,
  userFiles: readonly string[],
): string {
  const perHop = hops.flatMap((hop) => [
    `Match originalhost ${quoted(hostPart(hop.name))}`,
    `  UserKnownHostsFile ${[ownKnownHosts, ...hop.knownHosts].map(quoted).join(' ')}`,
  ])
  return [
    ...perHop,
    'Match all',
    ...held.map((line) => `  ${line}`),
    ...userFiles.map((file) => `Include ${quoted(file)}`),
    '',
  ].join('\n')
}

const held = [
  // On every hop: a key that is not on record ends the attempt before anything is sent.
  'StrictHostKeyChecking yes',
  'VerifyHostKeyDNS no',
  'NoHostAuthenticationForLocalhost no',
  'GlobalKnownHostsFile /dev/null',
  // The user's files are read and never written.
  'UpdateHostKeys no',
  // Nobody sits at this terminal; what a key asks for goes through the console.
  'PasswordAuthentication no',
  'KbdInteractiveAuthentication no',
  'ConnectTimeout 20',
  'ConnectionAttempts 1',
  // As the console's own connections: silent for three of these is dead.
  'ServerAliveInterval 10',
  'ServerAliveCountMax 3',
  // What the user forwards and runs at a login of their own is not this connection's.
  'ClearAllForwardings yes',
  'ForwardAgent no',
  'ForwardX11 no',
  'PermitLocalCommand no',
  'RemoteCommand none',
  'RequestTTY no',
  'Tunnel no',
  'LogLevel INFO',
]

/** `ssh` matches the name as it was given to it, without the login and port that a target may carry. */
const hostPart = (name: string): string =>
  name
    .replace(/^ssh:\/\//, '')
    .replace(/^[^@]*@/, '')
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^([^:]+):\d+$/, '$1')

/** One word of the configuration; a percent sign begins a token there. */
const quoted = (word: string): string => `"${word.replaceAll('%', '%%').replaceAll('"', '')}"`
