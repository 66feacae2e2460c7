import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hasSshd, testNet } from '../../box/ssh/testing.ts'
import { eventually } from '../../box/testing.ts'
import { rooms } from '../data-folder.ts'
import { openConsole, smallRun, takeDown, untilFinished } from './testing.ts'

/** 25,000 lines of 200 bytes a second, twice: into the journal and onto the screen. */
const linesASecond = 25_000
const seconds = 3

/** A command that speaks the journal: what any trainer may be. */
const burst = `
  const fs = require('node:fs'), dir = process.env.RINGSIDE_RUN_FOLDER, run = dir.split('/').at(-1)
  const file = fs.openSync(dir + '/events.jsonl', 'a')
  let seq = 0, n = 0
  const write = (lines) => fs.writeSync(file, lines.map((fields) => JSON.stringify({ v: 1, seq: seq++, at: new Date().toISOString(), run, ...fields })).join('\\n') + '\\n')
  const spec = JSON.parse(fs.readFileSync(dir + '/spec.json'))
  write([{ type: 'run.started', spec, specSha256: '0'.repeat(64), host: 'box', versions: {}, seed: 1 }])
  const timer = setInterval(() => {
    const texts = Array.from({ length: ${linesASecond / 50} }, () => 'line ' + String(n++).padStart(7, '0') + ' ' + 'x'.repeat(70))
    write(texts.map((text) => ({ type: 'log', stream: 'stdout', text })))
    process.stdout.write(texts.map((text) => text + 'y'.repeat(110) + '\\n').join(''))
    if (n >= ${linesASecond * seconds}) { clearInterval(timer); write([{ type: 'run.finished', outcome: 'completed', reason: null }]) }
  }, 20)`

test.skipIf(!hasSshd)(
  'any command trains on a box: five megabytes a second of its lines are all in the journal, and its log is read by its end',
  { timeout: 300_000 },
  async () => {
    const net = await testNet()
    const server = await net.server('box')
    net.known(server.knownHosts)
    net.configure(net.host('box', server))
    const home = join(net.folder, 'data')
    const core = await openConsole(home, net.env)
    const { id } = await core.handlers['boxes.add']({ target: 'box' })
    const command = { argv: ['node', '-e', burst], ownJournal: true }
    const told: number[] = []
    onTestFinished(
      core.on('log.advanced', ({ stream, size }) => void (stream === 'trainer' && told.push(size))),
    )
    const { run } = await core.handlers['launch.start']({ draft: { ...smallRun, box: id, command } })
    await untilFinished(core, run)

    const there = join(server.home, '.ringside/runs', run)
    const [here, box] = await Promise.all([
      readFile(join(rooms(home).runs, run, 'journal.jsonl')),
      readFile(join(there, 'events.jsonl')),
    ])
    expect(here.equals(box)).toBe(true)
    const numbers = [...String(here).matchAll(/"text":"line (\d{7})/g)].map((match) => Number(match[1]))
    expect(numbers.length).toBe(linesASecond * seconds)
    expect(numbers.every((number, index) => number === index)).toBe(true)

    const size = (await readFile(join(there, 'trainer.log'))).length
    await eventually('the log’s size', () => told.at(-1) === size)
    const last = await core.handlers['logs.read']({ run, stream: 'trainer', offset: size - 194, limit: 200 })
    expect(atob(last.bytesBase64)).toMatch(/^line 0074999 x+y+\n$/)
    expect((await takeDown(core, run)).left).toEqual([])

    // One that knows nothing of the journal has its beginning, its end and the reason there.
    const outcomes: unknown[] = []
    const ask = `
      const token = require('node:fs').readFileSync(process.env.RINGSIDE_TOKEN_FILE, 'utf8').trim()
      fetch(process.env.RINGSIDE_VERIFIER + '/v1/tasks', { headers: { authorization: 'Bearer ' + token } })
        .then((reply) => console.log('verifier says', reply.status))`
    for (const argv of [
      ['node', '-e', ask],
      ['sh', '-c', 'exit 4'],
    ]) {
      const command = { argv, ownJournal: false }
      const { run } = await core.handlers['launch.start']({ draft: { ...smallRun, box: id, command } })
      await untilFinished(core, run)
      const { state } = await core.handlers['runs.state']({ run })
      const log = await readFile(join(server.home, '.ringside/runs', run, 'trainer.log'), 'utf8')
      outcomes.push([state.outcome, state.reason, state.faults, log.trim()])
      expect((await takeDown(core, run)).left).toEqual([])
    }
    expect(outcomes).toEqual([
      ['completed', null, [], 'verifier says 200'],
      ['failed', 'the command ended with 4', [], ''],
    ])
  },
)
