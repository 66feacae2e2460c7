import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentGrade } from '#shared/domain/grade.ts'
import type { EventBody } from '#shared/journal/events.ts'
import { JournalFile } from './journal-file.ts'
import { Recall } from './recall.ts'

const run = 'r-20261129-testab'
let dir: string
let path: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'ringside-journal-'))
  path = join(dir, 'events.jsonl')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const line = (text: string): EventBody => ({ type: 'log', stream: 'test', text })
const seqs = () =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text).seq)

function write(...bodies: EventBody[]): void {
  const journal = new JournalFile(path, run)
  journal.append(bodies)
  journal.close()
}

test('continues seq over restarts, cutting a torn last line whatever it ends in', () => {
  write(line('a'), line('b'))
  const whole = readFileSync(path, 'utf8')
  for (const torn of [
    '{"v":1,"seq":2,"at":"2026',
    '{',
    `${whole.split('\n')[0]?.slice(0, -1)}`,
    '\ufffd"é'.slice(1),
  ]) {
    writeFileSync(path, whole)
    appendFileSync(path, torn)
    write(line('c'))
    expect(seqs()).toEqual([0, 1, 2])
    expect(readFileSync(path, 'utf8').startsWith(whole)).toBe(true)
  }
})

test('keeps whole lines that it cannot read, and does not reuse their place', () => {
  write(line('a'))
  appendFileSync(path, 'not json\n')
  write(line('b'))
  const lines = readFileSync(path, 'utf8').split('\n')
  expect([lines[1], JSON.parse(lines[2] ?? '').seq]).toEqual(['not json', 1])
})

test('emits each event once, also within one call and after a restart; a number may follow a silence', () => {
  const started: EventBody = { type: 'stage.started', stage: 'grpo' }
  const rollout = `${run}/1/0/0`
  const graded = (reward: number | null): EventBody => ({
    type: 'rollout.graded',
    rollout,
    grade:
      reward === null
        ? silentGrade('unreachable', 'verifier_silent')
        : { ...silentGrade('unreachable', ''), status: 'test_failed', reward },
    extraction: null,
    components: { tests: reward },
    total: reward,
    advantage: null,
  })
  const first = new JournalFile(path, run)
  new Recall(first).emit(started, started, graded(null), graded(null))
  first.close()
  const second = new JournalFile(path, run)
  const recall = new Recall(second)
  expect(recall.gradeOf(rollout)).toBe(null)
  recall.emit(started, graded(null), graded(0.5), graded(0.5))
  second.close()
  expect(recall.gradeOf(rollout)?.grade.reward).toBe(0.5)
  expect(seqs()).toEqual([0, 1, 2])
})
