import { type PipelineDraft, type StageName, stageNames } from '#shared/domain/run.ts'
import type { LaunchDraft } from '#shared/ipc/contract.ts'
import { Field } from '../../components/ui/field.tsx'
import { changeDraft } from '../../stores/launch.ts'
import { CommandFields } from './command-fields.tsx'
import { kindOf, withCommand, withCurrency, withData, withKind, withRate } from './pipeline-draft.ts'

type Props = { draft: LaunchDraft; fault: string | undefined }

/** What trains: the embedded sketch, or a pipeline of stages with the stand-in's toy policy or with TRL. */
export function TrainerChoice({ draft, fault }: Props) {
  const { pipeline } = draft
  return (
    <>
      <Field
        label="Trainer"
        about="A pipeline goes through stages; with the stand-in it needs no GPU and trains a toy."
        fault={fault}
      >
        {(ids) => (
          <select
            {...ids}
            value={kindOf(draft)}
            onChange={(event) =>
              changeDraft({
                pipeline: withKind(event.target.value, pipeline),
                command: withCommand(event.target.value, draft.command),
              })
            }
          >
            <option value="sketch">embedded sketch</option>
            <option value="stand_in">pipeline, stand-in</option>
            <option value="trl">pipeline, TRL on a GPU</option>
            <option value="command">any command</option>
          </select>
        )}
      </Field>
      {draft.command === null ? null : <CommandFields command={draft.command} />}
      {pipeline === null ? null : <PipelineFields pipeline={pipeline} />}
    </>
  )
}

function PipelineFields({ pipeline }: { pipeline: PipelineDraft }) {
  const change = (changes: Partial<PipelineDraft>) => changeDraft({ pipeline: { ...pipeline, ...changes } })
  return (
    <>
      {pipeline.backend === 'trl' ? (
        <>
          <Field label="Base model" about="A folder on the box, or a name in its model cache.">
            {(ids) => (
              <input
                {...ids}
                spellCheck={false}
                value={pipeline.model?.base ?? ''}
                onChange={({ target }) =>
                  change({ model: target.value === '' ? null : { base: target.value, revision: null } })
                }
              />
            )}
          </Field>
          <Field label="Interpreter" about="Python of the bootstrapped environment; empty: the box’s own.">
            {(ids) => (
              <input
                {...ids}
                spellCheck={false}
                value={pipeline.python ?? ''}
                onChange={({ target }) => change({ python: target.value === '' ? null : target.value })}
              />
            )}
          </Field>
        </>
      ) : null}
      <Field label="Start from" about="Folder of an adapter on the box; empty: the base model alone.">
        {(ids) => (
          <input
            {...ids}
            spellCheck={false}
            value={pipeline.adapter ?? ''}
            onChange={({ target }) => change({ adapter: target.value === '' ? null : target.value })}
          />
        )}
      </Field>
      <Field
        label="Rate an hour"
        about="What the box costs, for the meter and the price of idling; empty: no meter."
        unit={pipeline.cost?.currency ?? ''}
      >
        {(ids) => (
          <input
            {...ids}
            type="number"
            min="0"
            step="any"
            value={pipeline.cost?.ratePerHour ?? ''}
            onChange={({ target }) => change({ cost: withRate(pipeline.cost, target.value) })}
          />
        )}
      </Field>
      {pipeline.cost === null ? null : (
        <Field label="Currency">
          {(ids) => (
            <input
              {...ids}
              maxLength={8}
              value={pipeline.cost?.currency ?? ''}
              onChange={({ target }) => change({ cost: withCurrency(pipeline.cost, target.value) })}
            />
          )}
        </Field>
      )}
      {fileStages.map(({ stage, label }) => (
        <Field
          key={stage}
          label={`${label}: data`}
          about="A JSONL file on the box; empty: the stage is left out."
        >
          {(ids) => (
            <input
              {...ids}
              spellCheck={false}
              value={pipeline.stages.find((one) => one.stage === stage)?.data ?? ''}
              onChange={({ target }) => change({ stages: withData(pipeline.stages, stage, target.value) })}
            />
          )}
        </Field>
      ))}
    </>
  )
}

const measured: readonly StageName[] = ['baseline', 'grpo', 'final_eval']
const named: Partial<Record<StageName, string>> = { cpt: 'Pretraining', recovery: 'Recovery SFT' }
const fileStages = stageNames
  .filter((stage) => !measured.includes(stage))
  .map((stage) => ({ stage, label: named[stage] ?? stage.toUpperCase() }))
