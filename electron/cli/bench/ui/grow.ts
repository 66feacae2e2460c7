import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { sha256Of } from '#services/store/evidence.ts'
import { BigJournal } from './big-run.ts'
import type { Growth } from './home.ts'

/**
 * Stands where a trainer would, under the box's own supervisor: goes on with a run's journal at a steady number of events a second until it is ended.
 * Written in small portions, as a trainer's log comes; what a busy machine made it miss is made up for.
 */
const { values } = parseArgs({
  options: {
    'run-dir': { type: 'string', default: '' },
    growth: { type: 'string', default: '' },
    verifier: { type: 'string' },
  },
})
const growth = JSON.parse(values.growth) as Growth
const { eventsPerSecond, seq } = growth
const path = join(values['run-dir'], 'events.jsonl')
const journal = new BigJournal({ ...growth, sample: { ...growth.sample, hash: sha256Of } }, seq)
const tickMs = 25

/** The lines without end, each step dated by when it is made. */
function* lines(): Generator<string> {
  for (let step = growth.sample.steps; ; step += 1) yield* journal.step(step, Date.now(), Date.now() + 1000)
}
const ahead = lines()
const began = performance.now()
setInterval(() => {
  const due = Math.floor(((performance.now() - began) / 1000) * eventsPerSecond) - (journal.lines - seq)
  let text = ''
  for (let n = 0; n < due; n += 1) text += ahead.next().value
  if (text !== '') appendFileSync(path, text)
}, tickMs)
