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
    const { run } = await core.handlers['launch.start']({
      draft: { ...smallRun, box: id, updates: 2, learningRate: 1, pipeline },
    })
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
    const report = await takeDown(core, run)
    expect([report.left, await core.parts.box.processes(run)]).toEqual([[], []])
  },
)
