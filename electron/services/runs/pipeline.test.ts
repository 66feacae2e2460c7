import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { attempt } from '#shared/base/result.ts'
import { PipelineDraft, type StageName } from '#shared/domain/run.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import { openConsole, slow, smallRun, takeDown, untilFinished } from '../core/faults/testing.ts'

const pipeline = (...stages: (StageName | { stage: StageName; data: string })[]) =>
  PipelineDraft.parse({
    backend: 'stand_in',
    stages: stages.map((stage) => (typeof stage === 'string' ? { stage } : stage)),
  })

const draft = { ...smallRun, learningRate: 1, groupsPerStep: 2 }

test(
  'a pipeline with the stand-in runs from its baseline to its final evaluation, and is taken down whole',
  slow,
  async () => {
    const core = await openConsole(await tempFolder())
    const stages = pipeline('baseline', 'grpo', 'final_eval')
    const { run } = await core.handlers['launch.start']({ draft: { ...draft, pipeline: stages } })
    await untilFinished(core, run)
    const { state, spec } = await core.handlers['runs.state']({ run })
    expect({
      kind: spec.trainer.kind,
      outcome: state.outcome,
      stages: state.stages.map(({ stage, outcome }) => [stage, outcome]),
      evals: state.evals.map(({ policy, planned, drawn }) => [policy, planned, drawn]),
      steps: state.steps.map(({ step, groups }) => [step, groups]),
      warned: state.alerts.some(({ code }) => code === 'stand_in'),
      faults: state.faults,
      foreign: state.foreign,
    }).toEqual({
      kind: 'pipeline',
      outcome: 'completed',
      stages: [
        ['baseline', 'completed'],
        ['grpo', 'completed'],
        ['final_eval', 'completed'],
      ],
      evals: [
        ['baseline', 2, 2],
        ['final', 2, 2],
      ],
      steps: [
        [1, 2],
        [2, 2],
        [3, 2],
      ],
      warned: true,
      faults: [],
      foreign: 0,
    })
    const report = await takeDown(core, run)
    expect([report.left, await core.parts.box.processes(run)]).toEqual([[], []])
  },
)

test(
  'a failing gate ends the run before the next stage; adapters are marked, rolled back to and retired by a shown plan',
  slow,
  async () => {
    const home = await tempFolder()
    const data = join(home, 'data')
    await mkdir(data)
    const right = '```python\ndef required_capacity(bookings):\n    event[1]\n    peak = 0\n```'
    const write = async (name: string, completion: string) => {
      const file = join(data, name)
      await writeFile(file, `${JSON.stringify({ prompt: 'Book.', completion })}\n`)
      return file
    }
    const sft = { stage: 'sft', data: await write('sft.jsonl', right) } as const
    const recovery = { stage: 'recovery', data: await write('other.jsonl', 'Another template.') } as const
    const core = await openConsole(home)
    const { run } = await core.handlers['launch.start']({
      draft: { ...draft, updates: 1, pipeline: pipeline('baseline', sft, 'grpo', recovery, 'final_eval') },
    })
    await untilFinished(core, run)
    const { state } = await core.handlers['runs.state']({ run })
    expect([state.outcome, state.stages.at(-1)?.stage, state.stages.at(-1)?.outcome]).toEqual([
      'failed',
      'recovery',
      'failed',
    ])
    expect(state.alerts.at(-1)?.code).toBe('first_loss_jump')

    const listed = await core.handlers['adapters.list']({ run })
    const [first, second] = listed.adapters
    if (!first || !second) throw new Error('two adapters were expected')
    expect([listed.adapters.map(({ stage }) => stage), listed.current, second.parent]).toEqual([
      ['sft', 'grpo'],
      second.id,
      first.id,
    ])
    const inUse = await attempt(() => core.handlers['adapters.plan']({ run, adapters: [second.id] }))
    expect(inUse).toMatchObject({ ok: false, error: { code: 'bad_input' } })
    const rolled = await core.handlers['adapters.change']({ run, adapter: first.id, change: 'roll_back' })
    const marked = await core.handlers['adapters.change']({ run, adapter: second.id, change: 'mark_bad' })
    expect([rolled.current, marked.current, marked.adapters[1]?.mark]).toEqual([first.id, first.id, 'bad'])

    const { plan, bytes, adapters } = await core.handlers['adapters.plan']({ run, adapters: [second.id] })
    expect(adapters.map(({ id }) => id)).toEqual([second.id])
    const other = await attempt(() =>
      core.handlers['adapters.retire']({ run, adapters: [second.id], plan: '0'.repeat(64) }),
    )
    expect(other).toMatchObject({ ok: false, error: { code: 'bad_input' } })
    const retired = await core.handlers['adapters.retire']({ run, adapters: [second.id], plan })
    expect([retired.freedBytes, retired.diskBytes, retired.adapters[1]?.retired]).toEqual([
      bytes,
      first.bytes,
      true,
    ])
  },
)
