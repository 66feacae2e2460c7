import { afterEach, expect, test } from 'vitest'
import { SelectionSpec } from '#shared/domain/selection.ts'
import type { RunEvent } from '#shared/journal/events.ts'
import { parametersSha256 } from '../checkpoint.ts'
import { suiteFolder } from '../testing/suites.ts'
import { TestRun } from '../testing/trainer-process.ts'
import { VerifierProcess } from '../testing/verifier-process.ts'
import { simulateRun } from './simulated-run.ts'

const ended: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end()
})

const knobs = { seed: 5, updates: 4, groupsPerStep: 6, groupSize: 4, learningRate: 1.5, evalDraws: 48 }

/** Tasks and passes of each group of each step, as the journal has them. */
function steps(events: readonly RunEvent[]): unknown[] {
  const passes = new Map<string, number>()
  for (const event of events) {
    if (event.type !== 'rollout.graded' || event.grade.reward === null) continue
    const group = event.rollout.split('/').slice(1, 3).join('/')
    passes.set(group, (passes.get(group) ?? 0) + (event.grade.status === 'passed' ? 1 : 0))
  }
  return events.flatMap((event) =>
    event.type === 'step.started'
      ? [
          {
            step: event.step,
            tasks: event.prompts,
            passes: event.prompts.map((_, group) => passes.get(`${event.step}/${group}`)),
          },
        ]
      : [],
  )
}

test('the study is what the real trainer does with the real verifier, also where it is killed in between', async () => {
  const verifier = new VerifierProcess(suiteFolder('ladder'))
  ended.push(() => verifier.dispose())
  const url = await verifier.start(0)
  for (const [by, id] of [
    ['uniform', 'r-20261129-ladder'],
    ['curriculum', 'r-20261129-laddes'],
    ['mixed', 'r-20261129-laddet'],
  ] as const) {
    const selection = SelectionSpec.parse({ by })
    const run = new TestRun({ run: id, suite: 'ladder', trainer: { ...knobs, selection } })
    ended.push(() => run.dispose())
    run.start(url)
    if (by === 'mixed') {
      // What it chooses by is a function of its journal: a second start must choose on alike.
      await run.until((events) => events.some((event) => event.type === 'step.finished' && event.step === 2))
      await run.kill('SIGKILL')
      run.start(url)
    }
    expect([by, await run.exited()]).toEqual([by, 0])
    const simulated = simulateRun({ ...knobs, clip: 0.2, selection })
    expect(steps(run.events())).toEqual(simulated.map(({ step, tasks, passes }) => ({ step, tasks, passes })))
    const last = run.events().findLast((event) => event.type === 'checkpoint')
    expect(last?.type === 'checkpoint' && last.sha256).toBe(
      parametersSha256(simulated.at(-1)?.parameters ?? {}),
    )
    const told = run.events().filter((event) => event.type === 'alert' && event.code === 'task_difficulty')
    expect(told).toHaveLength(1)
  }
}, 300_000)
