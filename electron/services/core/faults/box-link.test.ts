import { type ChildProcess, spawn } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hasSshd, testNet } from '../../box/ssh/testing.ts'
import { eventually } from '../../box/testing.ts'
import { rooms } from '../data-folder.ts'
import { consoleProcess, eventsIn, openConsole, smallRun, takeDown, untilFinished } from './testing.ts'

const real = test.skipIf(!hasSshd)

/** A console that only opens the data folder and follows what runs there, to be killed. */
async function watchingConsole(home: string, env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const code = `
    import { createCore } from ${JSON.stringify(join(import.meta.dirname, '../core.ts'))}
    await createCore({ home: ${JSON.stringify(home)}, shell: 'browser', version: 'test' })
    console.log('open')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: join(import.meta.dirname, '../../../..'),
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  return child
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await eventually('the console’s end', () => child.signalCode === 'SIGKILL')
}

/** What another user of the box gets of the run's verifier, whose forwarded port is open to all there. @param folder the run's on the box. */
async function askAsAnybody(folder: string) {
  const { url } = JSON.parse(await readFile(join(folder, 'verifier.json'), 'utf8')) as { url: string }
  const { mode } = await stat(join(folder, 'supervisor/token'))
  return { status: (await fetch(`${url}/v1/tasks`)).status, tokenMode: mode & 0o777 }
}

real(
  'a run on a box outlives two kills of the console and ten cuts of the link: one journal, no rollout graded twice',
  { timeout: 480_000 },
  async () => {
    const net = await testNet()
    const server = await net.server('box')
    net.known(server.knownHosts)
    net.configure(net.host('box', server))
    const home = join(net.folder, 'data')
    Object.assign(process.env, { RINGSIDE_SSH_CONFIG: net.config })
    onTestFinished(() => void delete process.env.RINGSIDE_SSH_CONFIG)
    const boxes = await openConsole(home, net.env)
    const { id } = await boxes.handlers['boxes.add']({ target: 'box' })
    await boxes.dispose()

    const there = (run: string) => join(server.home, '.ringside/runs', run, 'events.jsonl')
    const steps = async (run: string) =>
      (await eventsIn(there(run))).filter((event) => event.type === 'step.finished').length
    const draft = { ...smallRun, box: id, updates: 8, groupsPerStep: 2, paceMs: 700 }
    const { child, run } = await consoleProcess(home, draft)
    await eventually('the first update', async () => (await steps(run)) >= 1)
    expect(await askAsAnybody(dirname(there(run)))).toEqual({ status: 401, tokenMode: 0o600 })
    await killed(child)
    const second = await watchingConsole(home, net.env)
    await eventually('another update', async () => (await steps(run)) >= 2)
    await killed(second)

    const core = await openConsole(home, net.env)
    for (let cuts = 0; cuts < 10; cuts += 1) {
      await eventually('a connection', () => core.parts.boxes.link(id).state.state === 'ready')
      const { connects } = core.parts.boxes.link(id).state
      server.cutAll()
      await eventually('another connection', () => core.parts.boxes.link(id).state.connects > connects)
    }
    await untilFinished(core, run)

    const [here, box] = await Promise.all([
      readFile(join(rooms(home).runs, run, 'journal.jsonl')),
      readFile(there(run)),
    ])
    expect(here.equals(box)).toBe(true)
    const events = await eventsIn(there(run))
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index))
    const graded = events.flatMap((event) =>
      event.type === 'rollout.graded' && event.total !== null ? [event.rollout] : [],
    )
    expect(graded).toHaveLength(8 * 2 * 4)
    expect(new Set(graded).size).toBe(graded.length)
    const { state, summary } = await core.handlers['runs.state']({ run })
    expect([state.outcome, state.faults, summary.nullRewards]).toEqual(['completed', [], 0])
    // The verifier executed each distinct body once: what was asked again was replayed.
    const bodies = core.parts.store.bodies(run)
    expect(core.parts.runs.verifierHealth(run)?.executed).toBeLessThanOrEqual(bodies.length)

    const report = await takeDown(core, run)
    expect(report.left).toEqual([])
    expect(core.parts.ledger.all().filter((lease) => lease.state !== 'released')).toEqual([])
    expect(
      await core.parts.boxes
        .link(id)
        .exec('ls "$HOME/.ringside/runs"')
        .then(({ stdout }) => String(stdout)),
    ).toBe('')
  },
)
