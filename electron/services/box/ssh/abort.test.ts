import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { programs } from '../../core/programs.ts'
import { LeaseLedger } from '../../leases/ledger.ts'
import { LocalBox } from '../local-box.ts'
import { eventually, serveOn } from '../testing.ts'
import { BoxLeases } from './remote-leases.ts'
import { SshBox } from './ssh-box.ts'
import { hasSshd, testNet } from './testing.ts'

const isRoot = process.getuid?.() === 0
const canAddUser = isRoot && existsSync('/usr/sbin/useradd')
const run = 'r-20261129-aaaaaa'

/**
 * A trainer that is hard to end: deaf to TERM, with a deaf child, and a grandchild that left its family for a session of its own with another name and
 * no argument that leads back to the run.
 */
const stubborn = [
  'sh',
  '-c',
  'trap "" TERM; (trap "" TERM; while :; do sleep 1; done) & (setsid sh -c "trap \\"\\" TERM HUP; cd /; while :; do sleep 1; done" < /dev/null > /dev/null 2>&1 &); while :; do sleep 1; done',
  'stubborn',
]

/** Of this user's processes on the box, those that belong to the run, by its mark in their environment: another look than the supervisor's own. */
const marked = (folder: string): string[] =>
  execFileSync('ps', ['-A', '-o', 'pid='])
    .toString()
    .trim()
    .split(/\s+/)
    .filter((pid) => {
      try {
        const environ = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
        return environ.includes(`RINGSIDE_RUN_FOLDER=${folder}`)
      } catch {
        return false
      }
    })

async function abortAs(user: string | null) {
  const net = await testNet()
  const server = await net.server('box')
  if (user !== null) {
    const [uid = 0, gid = 0] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, user])))
    chownSync(server.home, uid, gid)
    for (const path of [dirname(net.folder), net.folder, dirname(server.home)]) chmodSync(path, 0o711)
    chmodSync(join(dirname(server.home), 'authorized'), 0o644)
  }
  net.known(server.knownHosts)
  net.configure(net.host('box', server, user === null ? [] : [`User ${user}`]))
  const boxes = await net.boxes()
  const { id } = await boxes.add('box')
  const ledger = await LeaseLedger.open(join(net.folder, 'leases.jsonl'), () => new Date())
  onTestFinished(() => ledger.close())
  mkdirSync(join(net.folder, 'local'))
  const local = new LocalBox({
    root: join(net.folder, 'local'),
    supervisor: programs.supervisor,
    env: process.env,
  })
  const box = new SshBox({
    id,
    link: boxes.link(id),
    root: await boxes.root(id),
    reach: { kind: 'tunnel' },
    local,
    ledger,
    supervisor: async () => readFileSync(programs.supervisor),
  })
  onTestFinished(async () => {
    await box.stop(run, 1)
  })
  for (const intent of box.leases(run)) await ledger.intend({ ...intent, run })
  const verifier = [process.execPath, '-e', serveOn, join(local.folder(run), 'verifier')]
  await box.prepare(run, '{}\n', { env: {}, verifier, trainer: stubborn })
  await box.start(run)
  // The trainer with its child, the one that left, and their sleeps.
  await eventually('the whole family', () => marked(box.folder(run)).length >= 6)
  const who = String((await boxes.link(id).exec('id -un')).stdout).trim()
  await box.abort(run, 1)
  const afterAbort = marked(box.folder(run))
  await eventually('its end to be written', async () => (await box.status(run)).trainerExit !== null)
  const lease = ledger.all().find((one) => one.id === `${run}/processes`)
  if (!lease) throw new Error('there is no lease of the processes')
  const proof = await new BoxLeases(boxes).release(lease)
  return { who, afterAbort, left: await box.processes(run), proof, folder: box.folder(run) }
}

test.skipIf(!hasSshd)('abort leaves no process of the run on the box, whoever left its family', async () => {
  const { afterAbort, left, proof, folder } = await abortAs(null)
  expect([afterAbort, left]).toEqual([[], []])
  expect(proof).toEqual({ gone: true, proof: `no process on box names ${folder}` })
})

// A user of its own can be made by root alone.
test.skipIf(!hasSshd || !canAddUser)('the same as a plain user', async () => {
  const user = `ringside-t${process.pid}`
  execFileSync('/usr/sbin/useradd', ['-M', '-N', '-p', '*', '-s', '/bin/sh', user])
  onTestFinished(() => void execFileSync('/usr/sbin/userdel', [user], { stdio: 'ignore' }))
  const { who, afterAbort, left, proof } = await abortAs(user)
  expect([who, afterAbort, left, proof.gone]).toEqual([user, [], [], true])
})
