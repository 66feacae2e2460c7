import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import type { LiveDelta, LivePoint } from '#shared/ipc/contract.ts'
import type { StepRow } from '#shared/journal/state.ts'
import { openIndex } from '../store/index/open-index.ts'
import { savedRun } from '../store/saved-run.ts'
import type { Store } from '../store/store.ts'
import { sampleRunId as run, StoreLab, smallSample } from '../store/testing.ts'
import { falseAccepted, since } from './since.ts'

let lab: StoreLab
afterEach(() => lab.dispose())

/** What a window holds: it forgets at a reset, and replaces what comes again. */
class Window {
  seq = -1
  resets = 0
  readonly points = new Map<string, LivePoint>()
  readonly steps = new Map<number, StepRow>()
  memory = 0

  take(delta: Pick<LiveDelta, 'seq' | 'reset' | 'points' | 'steps' | 'memory'>): void {
    if (delta.reset) {
      this.resets += 1
      this.points.clear()
      this.steps.clear()
      this.memory = 0
    }
    for (const point of delta.points) this.points.set(point.id, point)
    for (const step of delta.steps) this.steps.set(step.step, step)
    this.memory += delta.memory.length
    this.seq = delta.seq
  }

  get held() {
    return {
      points: [...this.points.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
      steps: [...this.steps.values()].sort((a, b) => a.step - b.step),
      memory: this.memory,
    }
  }
}

async function pull(store: Store, window: Window): Promise<void> {
  for (let more = true; more; ) {
    const delta = await store.handlers['live.since']({ run, afterSeq: window.seq })
    window.take(delta)
    more = delta.more
  }
}

test('a window that pulls now and then holds what one that pulls everything at the end does', async () => {
  lab = await StoreLab.make()
  const store = await lab.open()
  const window = new Window()
  const audits = lab.audits(9)
  for (const [index, line] of lab.lines().entries()) {
    await appendFile(lab.events, line)
    if (index % 9 === 0) await store.catchUp(run)
    if (index % 16 === 0) await pull(store, window)
    const audit = index % 13 === 0 ? audits.pop() : undefined
    if (audit) await store.record(run, audit)
  }
  await store.catchUp(run)
  await pull(store, window)
  const late = new Window()
  await pull(store, late)
  expect(window.held).toEqual(late.held)
  expect([window.resets, late.resets]).toEqual([1, 1])
  const { state } = await store.handlers['runs.state']({ run })
  expect(late.held.steps).toEqual(state.steps.map((row) => ({ ...row, prompts: [] })))
  expect(late.held.memory).toBe(state.memory.length)
  const points = late.held.points
  expect(points.length).toBe(48)
  expect(new Set(points.map((point) => point.a))).toEqual(new Set([true, false, null]))
  expect(points.every((point) => point.r !== null)).toBe(true)
})

test('a silent grade is a point without a reward, and the same point with one once it is graded', async () => {
  lab = await StoreLab.make()
  const store = await lab.open()
  const lines = lab.lines()
  const silent = lines.findIndex((line) => line.includes('"status":"unreachable"'))
  await appendFile(lab.events, lines.slice(0, silent + 1).join(''))
  await store.catchUp(run)
  const window = new Window()
  await pull(store, window)
  const id = (JSON.parse(lines[silent] ?? '{}') as { rollout: string }).rollout
  expect(window.points.get(id)).toMatchObject({ s: 'unreachable', r: null, a: null })
  expect(
    [...window.points.values()].filter((point) => point.s === 'pending').every((point) => point.r === null),
  ).toBe(true)
  await appendFile(lab.events, lines.slice(silent + 1).join(''))
  await store.catchUp(run)
  await pull(store, window)
  expect(window.points.get(id)).toMatchObject({
    s: expect.not.stringMatching('unreachable'),
    r: expect.any(Number),
  })
  expect(window.resets).toBe(1)
})

test('replies cut to any size give the same, each within its size', async () => {
  lab = await StoreLab.make()
  const store = await lab.open()
  await appendFile(lab.events, lab.lines().join(''))
  await store.catchUp(run)
  for (const audit of lab.audits(9)) await store.record(run, audit)
  const whole = new Window()
  await pull(store, whole)
  await store.dispose()
  const { db } = openIndex(join(lab.home, 'index.sqlite'))
  try {
    const saved = savedRun(db, run)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), (limit) => {
        const window = new Window()
        for (let more = true; more; ) {
          const delta = since(db, saved, window.seq, limit)
          expect(delta.points.length).toBeLessThanOrEqual(limit)
          window.take(delta)
          more = delta.more
        }
        expect(window.held).toEqual(whole.held)
        expect([window.seq, window.resets]).toEqual([whole.seq, 1])
      }),
      { numRuns: 30 },
    )
  } finally {
    db.dispose()
  }
})

test('a window that is ahead of the index, or from before it was rebuilt, is told to begin again', async () => {
  lab = await StoreLab.make()
  const store = await lab.open()
  await appendFile(lab.events, lab.lines().join(''))
  await store.catchUp(run)
  const { seq } = await store.handlers['live.since']({ run, afterSeq: -1 })
  const ask = async (afterSeq: number) => {
    const { reset, points } = await store.handlers['live.since']({ run, afterSeq })
    return [reset, points.length]
  }
  expect([await ask(seq), await ask(seq + 1), await ask(0), await ask(seq - 5000)]).toEqual([
    [false, 0],
    [true, 48],
    [true, 48],
    [true, 48],
  ])
})

test('of a long run only the latest steps are told mark by mark, the others by their rows, within bounded replies', async () => {
  lab = await StoreLab.make({ ...smallSample, steps: 2300, groupsPerStep: 1, groupSize: 2, evalDraws: 0 })
  await appendFile(lab.events, lab.lines().join(''))
  const store = await lab.open()
  await store.catchUp(run)
  for (const record of lab.audits(9)) await store.record(run, record)
  await store.dispose()
  const { db } = openIndex(join(lab.home, 'index.sqlite'))
  try {
    const saved = savedRun(db, run)
    const window = new Window()
    const sizes: number[] = []
    for (let more = true; more; ) {
      const delta = since(db, saved, window.seq, 500, 600)
      sizes.push(Math.max(delta.steps.length, delta.points.length))
      window.take(delta)
      more = delta.more
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1000)
    expect(window.steps.size).toBe(2300)
    const told = new Set([...window.points.values()].map(({ step }) => step))
    expect([told.size, Math.min(...told), window.points.size]).toEqual([301, 1999, 602])
    const all = db.get<{ n: number }>('SELECT count(*) AS n FROM rollouts WHERE false_acceptance = 1')
    expect(falseAccepted(db, run).count).toBe(all?.n)
  } finally {
    db.dispose()
  }
}, 120_000)
