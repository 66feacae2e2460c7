import { z } from 'zod'
import type { LaunchDraft } from '#shared/ipc/contract.ts'
import { type Finding, failed } from '../runs/preflight/checks.ts'
import { trainerOf } from '../runs/trainer-of.ts'
import { lastSaid, type TrainerModule } from './module.ts'

/** As the trainer's `box_check.py` says it. */
const Row = z.object({
  check: z.string(),
  state: z.enum(['passed', 'warned', 'failed']),
  detail: z.string(),
  remedy: z.string().nullable(),
})

/** Importing PyTorch and TRL from a cold disk takes a minute. */
const limitMs = 180_000

/** The rows of a pipeline's checks in their order, by the names under which `box_check.py` answers. */
export const pipelineChecks = [
  ['trainer_settings', 'Trainer’s settings'],
  ['trainer_data', 'Data of the stages'],
  ['trainer_library', 'Training library on the box'],
  ['trainer_model', 'Base model on the box'],
  ['trainer_gpu', 'GPU of the box'],
] as const

type PipelineCheck = (typeof pipelineChecks)[number][0]

/** Which of the checks such a draft has: no file, no data; the stand-in needs neither model nor GPU. */
export function checksOf({ pipeline }: Pick<LaunchDraft, 'pipeline'>): PipelineCheck[] {
  if (pipeline === null) return []
  const files = pipeline.stages.some((stage) => stage.data !== null)
  const names: PipelineCheck[] = ['trainer_settings', ...(files ? (['trainer_data'] as const) : [])]
  return [
    ...names,
    'trainer_library',
    ...(pipeline.backend === 'trl' ? (['trainer_model', 'trainer_gpu'] as const) : []),
  ]
}

/** Asks the trainer's own code, on the machine where the run is to be, whether it could start there. */
export class PipelineBench {
  private readonly draft: LaunchDraft
  private readonly module: TrainerModule
  private asked: Promise<Map<string, Finding>> | null = null

  constructor(draft: LaunchDraft, module: TrainerModule) {
    this.draft = draft
    this.module = module
  }

  async look(check: PipelineCheck): Promise<Finding> {
    this.asked ??= this.ask()
    const found = await this.asked
    const settings = found.get('trainer_settings')
    return (
      found.get(check) ??
      failed('not looked at: the settings are wrong', settings?.remedy ?? 'Correct the settings first.')
    )
  }

  private async ask(): Promise<Map<string, Finding>> {
    const input = JSON.stringify(trainerOf(this.draft))
    const python = this.draft.pipeline?.python ?? null
    const { code, stdout, stderr } = await this.module('box_check', [], { input, limitMs, python })
    const said = code === 0 ? z.array(Row).safeParse(parsed(stdout)) : null
    if (said?.success)
      return new Map(
        said.data.map(({ check, state, detail, remedy }) => [
          check,
          remedy === null ? { state, detail } : { state, detail, remedy },
        ]),
      )
    const remedy = 'Look at the interpreter that the run names; it must be Python 3.10 or later.'
    return new Map([
      ['trainer_settings', failed(lastSaid(stderr, 'the checks said nothing that can be read'), remedy)],
    ])
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
