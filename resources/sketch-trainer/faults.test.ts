import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { decodeLine } from '#shared/journal/decode.ts'
import type { RunEvent } from '#shared/journal/events.ts'
import { nullRewards, RunReducer } from '#shared/journal/reduce.ts'
import { StandInVerifier } from './testing/stand-in-verifier.ts'
import { bookingSuite } from './testing/suites.ts'
import { essence, type SpecChanges, TestRun } from './testing/trainer-process.ts'

const ended: (() => Promise<void>)[] = []
let verifier: StandInVerifier
let url: string

beforeEach(async () => {
  verifier = new StandInVerifier(bookingSuite('weak'))
  url = await verifier.start()
  ended.push(() => verifier.stop())
})
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end()
})

/** A short pause after each step, so that a fault can be set up between two of them however fast the machine is. */
const paced = { paceMs: 200 }

function newRun({ trainer }: Pick<SpecChanges, 'trainer'> = {}, dir?: string): TestRun {
  const run = new TestRun({ trainer: { ...paced, ...trainer } }, dir)
  ended.push(() => run.dispose())
  return run
}

/** The journal of the same spec left alone, for comparison. */
let plain: RunEvent[]

beforeAll(async () => {
  const calm = new StandInVerifier(bookingSuite('weak'))
  const run = new TestRun({ trainer: paced })
  try {
    expect(await run.runToEnd(await calm.start())).toBe(0)
    plain = run.events()
  } finally {
    await run.dispose()
    await calm.stop()
  }
})

const seqs = (events: RunEvent[]) => events.map((event) => event.seq)
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i)
const ofType = <T extends RunEvent['type']>(events: RunEvent[], type: T) =>
  events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type)
/** Without the null grades, which stand for the time in which nobody answered. */
const heard = (events: RunEvent[]) =>
  events.filter((event) => !('grade' in event) || (event.grade as { reward: number | null }).reward !== null)
const unless = (events: unknown[], type: string) =>
  events.filter((event) => (event as { type: string }).type !== type)

function stateOf(run: TestRun) {
  const reducer = new RunReducer()
  for (const text of run.journalText().trimEnd().split('\n')) reducer.apply(decodeLine(text), 0)
  return reducer.state
}

test('the same seed gives the same journal and parameters, another seed others', async () => {
  const same = newRun()
  await same.runToEnd(url)
  const other = newRun({ trainer: { seed: 2 } })
  await other.runToEnd(url)
  expect(essence(same.events())).toEqual(essence(plain))
  expect(seqs(plain)).toEqual(upTo(plain.length))
  const last = (events: RunEvent[]) => ofType(events, 'checkpoint').at(-1)?.sha256
  expect(last(other.events())).not.toBe(last(plain))
})

describe('a silent verifier', () => {
  test('blocks, is recorded as null once a rollout, and is resumed with the same group', async () => {
    const run = newRun()
    run.start(url)
    await run.until((events) => ofType(events, 'step.finished').length >= 1)
    const asked = verifier.asked.length
    const port = Number(new URL(url).port)
    await verifier.stop()
    const blocked = await run.until((events) => ofType(events, 'verifier.blocked').length > 0)
    const step = stateOf(run).step
    const { completionSha256 } = ofType(blocked, 'rollout.generated').at(-1) ?? {}
    await new Promise((resolve) => setTimeout(resolve, 1000))
    const silent = ofType(run.events(), 'rollout.graded').filter(({ grade }) => grade.reward === null)
    expect(silent.map(({ grade, components, total }) => [grade.status, components, total])).toEqual(
      silent.map(() => ['unreachable', { tests: null }, null]),
    )
    expect(new Set(silent.map(({ rollout }) => rollout)).size).toBe(silent.length)
    expect(stateOf(run).phase).toBe('blocked')
    expect(ofType(run.events(), 'step.finished').some((event) => event.step === step)).toBe(false)
    await verifier.start(port)
    expect(await run.exited()).toBe(0)
    const events = run.events()
    expect(essence(heard(events))).toEqual(essence(plain))
    expect(ofType(events, 'rollout.generated').some((one) => one.completionSha256 === completionSha256)).toBe(
      true,
    )
    expect(seqs(events)).toEqual(upTo(events.length))
    const { blocks, byStatus, outcome } = stateOf(run)
    expect([blocks.map((block) => block.until !== null), nullRewards(byStatus), outcome]).toEqual([
      [true],
      0,
      'completed',
    ])
    expect(new Set(verifier.asked.slice(asked)).size).toBe(verifier.asked.length - asked)
  })

  test('that gives some grades only is asked again for the others only; no component is there meanwhile', async () => {
    const stubborn = 'r-20261129-testab/2/1/'
    let refusals = 2
    verifier.faults.unresolved = (id) => id.startsWith(stubborn) && refusals > 0
    const run = newRun({ trainer: { shaping: { format: 0.05 } } })
    run.start(url)
    verifier.asked.length = 0
    await run.until((events) => ofType(events, 'verifier.blocked').length > 0)
    const silent = ofType(run.events(), 'rollout.graded').filter(({ grade }) => grade.reward === null)
    expect(
      silent.map(({ rollout, components, total, grade }) => [rollout, components, total, grade.reason]),
    ).toEqual(
      [0, 1, 2, 3].map((i) => [`${stubborn}${i}`, { tests: null, format: null }, null, 'stand_in_fault']),
    )
    refusals = 0
    expect(await run.exited()).toBe(0)
    const repeats = verifier.asked.filter((id, i) => verifier.asked.indexOf(id) !== i)
    expect([...new Set(repeats)]).toEqual([0, 1, 2, 3].map((i) => `${stubborn}${i}`))
    expect(
      ofType(run.events(), 'rollout.graded').every(
        ({ components, grade }) =>
          'format' in components && (components.format === null) === (grade.reward === null),
      ),
    ).toBe(true)
    expect(ofType(run.events(), 'rollout.generated').length).toBe(ofType(plain, 'rollout.generated').length)
  })

  test('whose connection breaks inside a reply loses nothing that it said', async () => {
    verifier.faults.cutAfter = 5
    const run = newRun()
    verifier.asked.length = 0
    expect(await run.runToEnd(url)).toBe(0)
    // What came through before the break goes out before what was asked for again.
    const sorted = (events: RunEvent[]) =>
      essence(events)
        .map((event) => JSON.stringify(event))
        .sort()
    expect(sorted(heard(run.events()))).toEqual(sorted(plain))
    const graded = ofType(run.events(), 'rollout.graded').filter(({ grade }) => grade.reward !== null)
    expect(graded.length).toBe(36)
  })

  test('is followed to another port through the verifier file', async () => {
    const run = newRun()
    await verifier.stop()
    writeFileSync(run.path('verifier.json'), JSON.stringify({ url }))
    run.start('http://127.0.0.1:9', '--verifier-file', run.path('verifier.json'))
    await run.until((events) => ofType(events, 'verifier.blocked').length > 0)
    writeFileSync(run.path('verifier.json'), JSON.stringify({ url: await verifier.start() }))
    expect(await run.exited()).toBe(0)
  })

  test('of another suite raises an alarm and never trains', async () => {
    verifier.faults.suiteSha256 = 'f'.repeat(64)
    const run = newRun()
    run.start(url)
    await run.until((events) => ofType(events, 'verifier.blocked').length > 0)
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect(ofType(run.events(), 'alert').map(({ code, level }) => [code, level])).toEqual([
      ['other_suite', 'error'],
    ])
    verifier.faults.suiteSha256 = null
    await run.until((events) => ofType(events, 'step.finished').length >= 1)
    verifier.faults.suiteSha256 = 'e'.repeat(64)
    const events = await run.until((now) => ofType(now, 'alert').length === 2)
    const trained = ofType(events, 'step.finished').length
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(ofType(run.events(), 'step.finished').length).toBe(trained)
    await run.kill('SIGTERM')
  })
})

describe('a trainer that is killed', () => {
  test('at any moment ends as if it had not been, journal and parameters', async () => {
    const kills = upTo(12).map((i) => Math.floor(((i + 0.5) / 12) * plain.length))
    const run = newRun()
    const askedAgain: string[] = []
    for (const at of [...kills, Number.POSITIVE_INFINITY]) {
      const known = new Set(
        run
          .events()
          .flatMap((event) =>
            event.type === 'rollout.graded' || event.type === 'eval.draw' ? event.rollout : [],
          ),
      )
      verifier.asked.length = 0
      run.start(url)
      if (at === Number.POSITIVE_INFINITY) expect(await run.exited()).toBe(0)
      else await run.until((events) => events.length >= at)
      await run.kill('SIGKILL')
      askedAgain.push(...verifier.asked.filter((id) => known.has(id)))
    }
    expect(askedAgain).toEqual([])
    const events = run.events()
    expect(essence(events)).toEqual(essence(plain))
    expect(seqs(events)).toEqual(upTo(events.length))
    expect(ofType(events, 'run.resumed').length).toBeGreaterThan(6)
  }, 180_000)

  test('with groups in hand trains on those very groups, whatever its generator would draw now', async () => {
    const run = newRun()
    run.start(url)
    await run.until((events) => ofType(events, 'checkpoint').length >= 2)
    await verifier.stop()
    await run.until((events) => ofType(events, 'verifier.blocked').length > 0)
    await run.kill('SIGKILL')
    const last = run.path(ofType(run.events(), 'checkpoint').at(-1)?.path ?? '')
    const saved = JSON.parse(readFileSync(last, 'utf8'))
    writeFileSync(last, JSON.stringify({ ...saved, generator: [1, 2, 3, 4] }))
    run.start(await verifier.start())
    expect(await run.exited()).toBe(0)
    expect(essence(heard(run.events()))).toEqual(essence(plain))
  })

  test('while blocked, with a torn line and a lost checkpoint left behind, goes on with the saved group', async () => {
    const run = newRun()
    run.start(url)
    await run.until((events) => ofType(events, 'step.finished').length >= 1)
    const port = Number(new URL(url).port)
    await verifier.stop()
    await run.until((events) => ofType(events, 'verifier.blocked').length > 0)
    await run.kill('SIGKILL')
    writeFileSync(run.path('events.jsonl'), `${run.journalText()}{"v":1,"seq":9`)
    const last = ofType(run.events().slice(0, -1), 'checkpoint').at(-1)
    writeFileSync(run.path(last?.path ?? ''), '{"v":1')
    const pending = readFileSync(run.path('pending.json'), 'utf8')
    run.start(url)
    await run.until((events) => ofType(events, 'run.resumed').length === 1)
    await verifier.start(port)
    expect(await run.exited()).toBe(0)
    expect(essence(heard(run.events()))).toEqual(essence(plain))
    const saved = JSON.parse(pending).rollouts.map(
      (one: { completionSha256: string }) => one.completionSha256,
    )
    const generated = ofType(run.events(), 'rollout.generated').map((one) => one.completionSha256)
    expect(generated.join().includes(saved.join())).toBe(true)
  })
})

describe('an operator', () => {
  test('who asks for a stop after the step gets a whole step, and a stop that is final', async () => {
    const run = newRun({ trainer: { updates: 50, paceMs: 50 } })
    run.start(url)
    await run.until((events) => ofType(events, 'step.finished').length >= 1)
    run.want('stop_after_step')
    expect(await run.exited()).toBe(0)
    const { outcome, steps, evals } = stateOf(run)
    const lastStep = steps.at(-1)
    expect([outcome, lastStep?.finishedAt !== null, evals.map((row) => row.policy)]).toEqual([
      'stopped',
      true,
      ['baseline'],
    ])
    const before = run.journalText()
    expect(await run.runToEnd(url)).toBe(0)
    expect(run.journalText()).toBe(before)
  })

  test('who aborts during a long pause or while it is blocked does not wait', async () => {
    const paused = newRun({ trainer: { paceMs: 3_600_000 } })
    paused.start(url)
    await paused.until((events) => ofType(events, 'step.finished').length >= 1)
    paused.want('abort')
    expect(await paused.exited()).toBe(0)
    await verifier.stop()
    const blocked = newRun()
    blocked.start(url)
    await blocked.until((events) => ofType(events, 'verifier.blocked').length > 0)
    blocked.want('abort')
    expect(await blocked.exited()).toBe(0)
    expect([stateOf(paused).outcome, stateOf(blocked).outcome]).toEqual(['stopped', 'stopped'])
  })

  test('or a system that sends SIGTERM interrupts it, and the next start completes it', async () => {
    const run = newRun()
    run.start(url)
    await run.until((events) => ofType(events, 'step.finished').length >= 1)
    await run.kill('SIGTERM')
    expect(stateOf(run).outcome).toBe('interrupted')
    expect(await run.runToEnd(url)).toBe(0)
    expect(unless(essence(run.events()), 'run.finished')).toEqual(unless(essence(plain), 'run.finished'))
    expect(stateOf(run).outcome).toBe('completed')
  })
})

/** A small file system of its own: only root on Linux can make one in a test. */
function smallDisk(): string | null {
  const dir = mkdtempSync(join(tmpdir(), 'ringside-small-disk-'))
  ended.push(async () => rmSync(dir, { recursive: true, force: true }))
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=400k', 'tmpfs', dir]).status !== 0) return null
  ended.push(async () => void spawnSync('umount', [dir]))
  const folder = join(dir, 'run')
  mkdirSync(folder)
  return folder
}

test('a full disk is said, waited for, and costs nothing once there is room', async (context) => {
  const dir = smallDisk()
  if (dir === null) return context.skip('a small file system cannot be mounted here: needs root on Linux')
  const run = newRun({}, dir)
  const ballast = run.path('ballast')
  run.start(url)
  await run.until((events) => ofType(events, 'step.finished').length >= 1)
  try {
    writeFileSync(ballast, Buffer.alloc(400_000))
  } catch {}
  while (!run.stderr.includes('No space left')) await new Promise((resolve) => setTimeout(resolve, 20))
  rmSync(ballast)
  expect(await run.exited()).toBe(0)
  expect(run.stderr).toMatch(
    /No space left to write .*Free disk space; the run waits and continues by itself\./,
  )
  expect(essence(run.events())).toEqual(essence(plain))
})

describe('bad input is one clear line and an exit code', () => {
  const cases: [string, (run: TestRun) => void, number, RegExp][] = [
    [
      'a spec that is no JSON',
      (run) => writeFileSync(run.path('spec.json'), '{'),
      2,
      /^bad_spec: .*spec\.json is no JSON\. /,
    ],
    [
      'a field out of range',
      (run) =>
        writeFileSync(
          run.path('spec.json'),
          JSON.stringify({ ...run.spec, trainer: { ...run.spec.trainer, groupSize: 1 } }),
        ),
      2,
      /^bad_spec: .*trainer\.groupSize: /,
    ],
    [
      'an unknown reward part',
      (run) =>
        writeFileSync(
          run.path('spec.json'),
          JSON.stringify({ ...run.spec, trainer: { ...run.spec.trainer, shaping: { charm: 1 } } }),
        ),
      2,
      /^bad_spec: trainer\.shaping\.charm is no reward part .*Known parts: format\./,
    ],
  ]
  test.each(cases)('%s', async (_name, spoil, code, line) => {
    const run = newRun()
    spoil(run)
    expect(await run.runToEnd(url)).toBe(code)
    expect(run.stderr).toMatch(line)
    expect(run.stderr.trimEnd().split('\n').length).toBe(1)
    expect(run.journalText()).toBe('')
  })

  test('a spec that changed after the start', async () => {
    const run = newRun()
    await run.runToEnd(url)
    const text = run.journalText().split('\n').slice(0, 5).join('\n')
    writeFileSync(run.path('events.jsonl'), `${text}\n`)
    writeFileSync(run.path('spec.json'), JSON.stringify({ ...run.spec, name: 'another' }))
    run.stderr = ''
    expect(await run.runToEnd(url)).toBe(1)
    expect(run.stderr).toMatch(/^spec_frozen: /)
    expect(run.journalText()).toBe(`${text}\n`)
  })
})
