import { execFile, spawn } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { killKnown } from '../../testing/kill-known.ts'
import { programs } from '../core/programs.ts'
import { isAlive } from './process-identity.ts'
import { trainerLife, whyEnded } from './supervision.ts'
import { eventually, testBox } from './testing.ts'

const run = promisify(execFile)
const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})
async function boxWith(options: Parameters<typeof testBox>[0]) {
  const made = await testBox(options)
  ends.push(made.end)
  return made
}

const forever = 'setInterval(() => {}, 1000)'

test('the script is read by every POSIX shell that is here', async () => {
  const shells = [
    ['sh', '-n'],
    ['dash', '-n'],
    ['bash', '--posix', '-n'],
    ['ksh', '-n'],
  ]
  const verdicts = await Promise.all(
    shells.map(([shell = 'sh', ...args]) =>
      run(shell, [...args, programs.supervisor]).then(
        () => 'fine',
        (failure: NodeJS.ErrnoException) => (failure.code === 'ENOENT' ? 'not here' : failure.message),
      ),
    ),
  )
  expect(verdicts.filter((verdict) => verdict !== 'not here')).not.toContainEqual(
    expect.not.stringMatching(/^fine$/),
  )
  expect(verdicts[0]).toBe('fine')
})

test('starting twice starts once; a killed verifier comes back on its port; ending leaves nothing', async () => {
  const { box, run: id, read, folder } = await boxWith({ trainer: forever })
  await box.start(id)
  await eventually('the trainer', async () => (await box.status(id)).trainer.state === 'alive')
  await box.start(id)
  await eventually('the second start to end', async () => (await read('supervisor.log')).includes('already'))
  const before = await box.status(id)
  const url = await read('verifier.json')
  killKnown(before.verifier.pid)
  await eventually('another verifier', async () => {
    const { verifier, verifierExits } = await box.status(id)
    return verifierExits === 1 && verifier.state === 'alive' && verifier.pid !== before.verifier.pid
  })
  await eventually('its address', async () => (await read('supervisor.log')).split('answers at').length === 3)
  const after = await box.status(id)
  expect({ ...after, verifier: 'another' }).toEqual({ ...before, verifier: 'another', verifierExits: 1 })
  expect(await read('verifier.json')).toBe(url)

  await box.stop(id, 2)
  expect(await box.processes(id)).toEqual([])
  const { trainer, verifier, supervisor, ended } = await box.status(id)
  expect([trainer.state, verifier.state, supervisor.state, ended]).toEqual([
    'gone',
    'gone',
    'gone',
    'stopped',
  ])
  await rm(folder, { recursive: true })
})

test('a port that was taken meanwhile gives way to a free one', async () => {
  const { box, run: id, read, folder } = await boxWith({ trainer: forever })
  const { createServer } = await import('node:http')
  const other = createServer((_, reply) => reply.end())
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const address = other.address()
  const port = typeof address === 'object' && address ? address.port : 0
  await writeFile(join(folder, 'supervisor', 'port'), `${port}\n`)
  try {
    await box.start(id)
    await eventually('an address', async () => (await read('verifier.json')) !== '')
    expect(await read('verifier.json')).not.toContain(`:${port}"`)
    expect(await read('verifier.log')).toContain('EADDRINUSE')
  } finally {
    other.close()
  }
})

test('the run outlives a kill -9 of the console that launched it', async () => {
  const { box, run: id, read, folder } = await boxWith({ trainer: 'setTimeout(() => process.exit(7), 2500)' })
  const launcher = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { LocalBox } from ${JSON.stringify(`${import.meta.dirname}/local-box.ts`)}
       const box = new LocalBox({ root: ${JSON.stringify(join(folder, '..'))}, supervisor: '', env: process.env })
       await box.start(${JSON.stringify(id)})
       console.log('started')
       setInterval(() => {}, 1000)`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], cwd: join(import.meta.dirname, '../../..') },
  )
  await new Promise((resolve) => launcher.stdout.once('data', resolve))
  await eventually('the trainer', async () => (await box.status(id)).trainer.state === 'alive')
  launcher.kill('SIGKILL')
  await eventually('the launcher’s end', () => launcher.signalCode === 'SIGKILL')
  expect((await box.status(id)).trainer.state).toBe('alive')
  await eventually('the trainer’s own end', async () => (await box.status(id)).trainerExit !== null)
  const status = await box.status(id)
  expect([status.trainerExit, status.verifier.state, trainerLife(status)]).toEqual([7, 'alive', false])
  expect(whyEnded(status)).toMatch(/exit code 7/)
  expect(await read('supervisor.log')).toContain('trainer ended with 7')
})

test('abort ends the trainer with all that it started, deaf or not, and leaves the verifier', async () => {
  const deaf = `process.on('SIGTERM', () => {})
    const child = require('node:child_process').spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)', process.argv.at(-2)], { stdio: 'inherit' })
    setInterval(() => {}, 1000)`
  const { box, run: id } = await boxWith({ trainer: deaf })
  await box.start(id)
  await eventually('the trainer and its child', async () => (await box.processes(id)).length === 6)
  await box.abort(id, 1)
  await eventually('its end to be written', async () => (await box.status(id)).trainerExit !== null)
  const status = await box.status(id)
  expect([status.trainer.state, status.trainerExit, status.verifier.state]).toEqual(['gone', 137, 'alive'])
  expect(whyEnded(status)).toMatch(/signal 9/)
  // What is left: the supervisor, the one that keeps the verifier, and the verifier.
  await eventually('nothing of the trainer', async () => (await box.processes(id)).length === 3)
})

test('a trainer that cannot go on for now is started again, and is not taken for dead meanwhile', async () => {
  const trainer = `const fs = require('node:fs'), mark = process.argv.at(-2) + '/been-here'
    if (fs.existsSync(mark)) process.exit(0)
    fs.writeFileSync(mark, ''); process.exit(75)`
  const { box, run: id, read } = await boxWith({ trainer })
  await box.start(id)
  await eventually('the pause', async () => (await read('supervisor.log')).includes('cannot go on'))
  const waiting = await box.status(id)
  expect([waiting.trainer.state, waiting.trainerExit, trainerLife(waiting)]).toEqual(['gone', null, null])
  await eventually('its end', async () => (await box.status(id)).trainerExit !== null)
  const ended = await box.status(id)
  expect([ended.trainerExit, trainerLife(ended)]).toEqual([0, false])
})

test('with nobody there, an ended run’s verifier is given up after the idle time', async () => {
  const { box, run: id } = await boxWith({ trainer: 'process.exit(0)', idleSeconds: 2 })
  await box.start(id)
  await eventually('the end', async () => (await box.status(id)).ended === 'idle')
  const status = await box.status(id)
  expect([status.trainerExit, status.supervisor.state, status.verifier.state]).toEqual([0, 'gone', 'gone'])
  expect(await box.processes(id)).toEqual([])

  await box.start(id, 'collect')
  await eventually('the verifier again', async () => (await box.status(id)).verifier.state === 'alive')
  expect((await box.status(id)).trainerExit).toBe(0)
})

test('a restarted box is told apart from a crash, and a number given out again from its process', async () => {
  const { box, run: id, folder } = await boxWith({ trainer: forever })
  await box.start(id)
  await eventually('the trainer', async () => (await box.status(id)).trainer.state === 'alive')
  await box.stop(id, 2)
  await writeFile(join(folder, 'supervisor', 'boot'), 'another-boot\n')
  // The number lives on in this very process; its start time does not fit.
  await writeFile(join(folder, 'supervisor', 'trainer.pid'), `${process.pid} ticks:1\n`)
  await rm(join(folder, 'supervisor', 'trainer.exit'))
  const status = await box.status(id)
  expect([status.rebooted, status.trainer.state]).toEqual([true, 'gone'])
  expect(whyEnded(status)).toMatch(/box was restarted/)
  expect(await isAlive({ pid: process.pid, startedAt: 'ticks:1' })).toBe(false)
})
