import { expect, test } from 'vitest'
import { PipelineDraft } from '#shared/domain/run.ts'
import { openConsole, slow, smallRun, takeDown, untilFinished } from '../../core/faults/testing.ts'
import { hasSshd, testNet } from './testing.ts'

test.skipIf(!hasSshd)(
  'a pipeline runs on a box behind SSH, from one file, and is taken down whole',
  slow,
  async () => {
    const net = await testNet()
    const server = await net.server('box')
    net.configure(net.host('box', server))
    net.known(server.knownHosts)
    const core = await openConsole(`${net.folder}/home`, net.env)
    const { id } = await core.handlers['boxes.add']({ target: 'box' })
    const pipeline = PipelineDraft.parse({
      backend: 'stand_in',
      stages: [{ stage: 'baseline' }, { stage: 'grpo' }, { stage: 'final_eval' }],
    })
    const draft = { ...smallRun, box: id, updates: 2, learningRate: 1, pipeline }
    const lost = PipelineDraft.parse({
      ...pipeline,
      stages: [...pipeline.stages, { stage: 'sft', data: `${net.folder}/none.jsonl` }],
    })
    const checked = async (changes: object) => {
      const { rows } = await core.handlers['launch.preflight']({ draft: { ...draft, ...changes } })
      return Object.fromEntries(
        rows.filter((row) => /^trainer_/.test(row.check)).map((row) => [row.check, [row.state, row.detail]]),
      )
    }
    expect(await checked({ pipeline: lost })).toEqual({
      trainer_settings: ['passed', '1 × 4 completions a step, 4 a process; shaping weighs 0 of at most 0.2'],
      trainer_data: ['failed', `sft: ${net.folder}/none.jsonl cannot be read: No such file or directory`],
      trainer_library: ['warned', 'the stand-in trains a toy, no model'],
    })
    const { run } = await core.handlers['launch.start']({ draft })
    await untilFinished(core, run)
    const { state, spec } = await core.handlers['runs.state']({ run })
    expect([spec.box.kind, spec.trainer.kind, state.outcome, state.faults]).toEqual([
      'ssh',
      'pipeline',
      'completed',
      [],
    ])
    expect(state.stages.map(({ stage, outcome }) => [stage, outcome])).toEqual([
      ['baseline', 'completed'],
      ['grpo', 'completed'],
      ['final_eval', 'completed'],
    ])
    const made = await core.handlers['adapters.list']({ run })
    expect(made.adapters.map(({ stage, step, present }) => [stage, step, present])).toEqual([
      ['grpo', 2, true],
    ])
    const [adapter] = made.adapters
    const marked = await core.handlers['adapters.change']({
      run,
      adapter: adapter?.id ?? '',
      change: 'mark_good',
    })
    expect(marked).toEqual({ ...made, adapters: [{ ...adapter, mark: 'good' }] })
    await expect(core.handlers['adapters.plan']({ run, adapters: [adapter?.id ?? ''] })).rejects.toThrow(
      'is in use',
    )
    const ready = await core.handlers['bootstrap.get']({ box: id })
    expect([ready.going, ready.steps.map((step) => [step.step, step.state])]).toEqual([
      false,
      ['python', 'disk', 'venv', 'packages', 'model', 'gpu', 'self-check'].map((name) => [name, 'todo']),
    ])
    const report = await takeDown(core, run)
    expect([report.left, await core.parts.box.processes(run)]).toEqual([[], []])
  },
)
