import { readFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { GradeLine } from '#shared/domain/grade.ts'
import type { VerifierReach } from '#shared/domain/run.ts'
import { addPin } from '#shared/ssh/hosts-file.ts'
import type { BoxFacts } from '../../box/ssh/facts.ts'
import { hostsFile } from '../../box/ssh/hosts-pin.ts'
import type { SshLink } from '../../box/ssh/link.ts'
import { sh, shCommand } from '../../box/ssh/remote.ts'
import type { OwnVerifier } from '../../verifier/own-verifier.ts'
import type { Suite } from '../suites.ts'
import { type Finding, failed, passed } from './checks.ts'

/** What asks one grade of the verifier from the box itself: an address as argument, `{token, request}` on stdin, the reply on stdout. */
const askers = {
  node: [
    '-e',
    [
      'const { token, request } = JSON.parse(require("node:fs").readFileSync(0, "utf8")), at = new URL(process.argv[1])',
      'const headers = { "content-type": "application/json", host: "127.0.0.1", authorization: "Bearer " + token }',
      'const call = require("node:http").request({ host: at.hostname, port: at.port, path: "/v1/grade", method: "POST", headers, timeout: 60000 }, (reply) => reply.pipe(process.stdout))',
      'call.on("timeout", () => call.destroy(new Error("no answer")))',
      'call.on("error", (failure) => { console.error(String(failure)); process.exit(3) })',
      'call.end(JSON.stringify(request))',
    ].join('; '),
  ],
  python: [
    '-c',
    [
      'import json, sys, urllib.request',
      'given = json.load(sys.stdin)',
      'headers = {"content-type": "application/json", "host": "127.0.0.1", "authorization": "Bearer " + given["token"]}',
      'call = urllib.request.Request(sys.argv[1] + "/v1/grade", json.dumps(given["request"]).encode(), headers)',
      'sys.stdout.buffer.write(urllib.request.urlopen(call, timeout=60).read())',
    ].join('; '),
  ],
} as const

export type ReachCheck = {
  link: SshLink
  facts: BoxFacts
  verifier: Pick<OwnVerifier, 'client' | 'token'>
  suite: Suite
  reach: VerifierReach
}

/** Grades the suite's reference body by a request from the box itself, over the way that the run would go. */
export async function gradeFromBox(check: ReachCheck): Promise<Finding> {
  const { link, verifier, reach } = check
  const here = Number(new URL(verifier.client.url).port)
  if (reach.kind === 'tunnel') {
    const port = await link.openTunnel(0, async () => here)
    const remedy =
      'Allow remote forwarding for this user on the box (AllowTcpForwarding), and look at its firewall.'
    try {
      return await ask(check, `http://127.0.0.1:${port}`, remedy)
    } finally {
      await link.closeTunnel(port)
    }
  }
  const pinned = await canBePinned(link, reach)
  if (pinned !== null) return pinned
  const door = await openDoor(reach.address, here)
  if (door === null)
    return failed(
      `${reach.address} is no address of this machine`,
      'Give the one that it has in that network.',
    )
  const host = reach.address.includes(':') ? `[${reach.address}]` : reach.address
  try {
    const remedy = `Look whether the network between the box and ${reach.address} lets connections through.`
    return await ask(check, `http://${host}:${door.port}`, remedy)
  } finally {
    door.close()
  }
}

async function ask(
  { link, facts, verifier, suite }: ReachCheck,
  url: string,
  remedy: string,
): Promise<Finding> {
  const asker = facts.node ? 'node' : 'python'
  const program = (facts.node ?? facts.python)?.path
  if (program === undefined) return failed('there is nothing on the box to ask with', 'Install Python there.')
  const task = suite.tasks.find((one) => one.reference !== null)
  if (!task?.reference) return failed('the suite has no reference body to send', 'Add one to the suite.')
  const body = await readFile(join(suite.path, task.reference), 'utf8')
  const request = { run: 'preflight-box', items: [{ id: 'preflight/reference', task: task.id, body }] }
  const [flag, script] = askers[asker]
  // What is among a program's arguments can be read by every user of the box: the token goes in by its input.
  const { code, stdout, stderr } = await link.exec(
    shCommand('exec "$1" "$2" "$3" "$4"', [program, flag, script, url]),
    { input: JSON.stringify({ token: verifier.token, request }), limitMs: 90_000 },
  )
  if (code !== 0)
    return failed(`the box does not reach the verifier: ${stderr.trim().split('\n').at(-1)}`, remedy)
  const line = GradeLine.safeParse(parsed(stdout.toString().split('\n')[0] ?? ''))
  if (!line.success) return failed(`the box got ${stdout.toString().slice(0, 120)}`, remedy)
  const what = `the reference body of ${task.id}, sent from the box`
  return line.data.status === 'passed'
    ? passed(`${what}, passes`)
    : failed(`${what}, is ${line.data.status}`, 'See the controls.')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** What stands against the name in the box's hosts file; null where nothing does. */
async function canBePinned(
  link: SshLink,
  { name, address }: Extract<VerifierReach, { kind: 'mesh' }>,
): Promise<Finding | null> {
  const { code, stdout } = await sh(link, '[ -w "$1" ] && cat "$1"', [hostsFile])
  if (code !== 0)
    return failed(`${hostsFile} of the box cannot be written`, 'Log in as a user who may, or use a tunnel.')
  const plan = addPin(stdout.toString(), { name, address, lease: 'preflight' })
  return plan.state === 'conflict'
    ? failed(
        `${name} stands for ${plan.address} in line ${plan.line} of ${hostsFile} there`,
        'Take that line away if it is stale, or choose another name.',
      )
    : null
}

/** A port at `address` that leads to one of loopback, as the run's verifier would have one; null where the address is not this machine's. */
async function openDoor(address: string, here: number): Promise<{ port: number; close(): void } | null> {
  const server = createServer((near) => {
    const far = connect(here, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy())
      one.pipe(other)
    }
  })
  const port = await new Promise<number | null>((resolve) => {
    server.once('error', () => resolve(null))
    server.listen(0, address, () => {
      const at = server.address()
      resolve(typeof at === 'object' && at ? at.port : null)
    })
  })
  return port === null ? null : { port, close: () => server.close() }
}
