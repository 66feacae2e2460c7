import type { LaunchDraft, LaunchOptions, SuiteOption } from '#shared/ipc/contract.ts'
import { formatCount, plural } from '../../app/format.ts'
import { Field } from '../../components/ui/field.tsx'
import { changeDraft } from '../../stores/launch.ts'
import { type NumberRule, numberRules } from './draft-rules.ts'
import { withSuites } from './draft-suites.ts'
import { ReachChoice } from './reach-choice.tsx'
import { SelectionChoice } from './selection-choice.tsx'
import { SourceChoice } from './source-choice.tsx'
import { TrainerChoice } from './trainer-choice.tsx'
import { VerifierChoice } from './verifier-choice.tsx'

export type Faults = Partial<Record<keyof LaunchDraft, string>>
type Props = { options: LaunchOptions; draft: LaunchDraft; faults: Faults }

/** Everything that makes a run what it is; frozen when it starts. */
export function DraftForm({ options, draft, faults }: Props) {
  return (
    <div className="draft">
      <Field label="Name" fault={faults.name}>
        {(ids) => (
          <input
            {...ids}
            value={draft.name}
            onChange={(event) => changeDraft({ name: event.target.value })}
          />
        )}
      </Field>
      <SuiteChoice options={options} draft={draft} faults={faults} />
      <AuditChoice options={options} draft={draft} faults={faults} />
      <SourceChoice draft={draft} fault={faults.source} />
      <Section title="Training" note={volume(draft)}>
        <TrainerChoice draft={draft} fault={faults.pipeline ?? faults.command} />
        {several(options, draft) ? <SelectionChoice draft={draft} /> : null}
        <Numbers rules={numberRules.training} draft={draft} faults={faults} />
        <Shaping draft={draft} fault={faults.shaping} />
      </Section>
      <BoxChoice options={options} draft={draft} faults={faults} />
      <VerifierChoice draft={draft} fault={faults.verifier} />
      {options.boxes.some((box) => box.id === draft.box && box.kind === 'ssh') ? (
        <ReachChoice draft={draft} fault={faults.reach} />
      ) : null}
      <Section
        title="Evaluation and machine"
        note={options.boxes.find((box) => box.id === draft.box)?.label ?? ''}
      >
        <Numbers rules={[...numberRules.evaluation, ...numberRules.machine]} draft={draft} faults={faults} />
      </Section>
    </div>
  )
}

const volume = (draft: LaunchDraft): string => {
  const rollouts = draft.updates * draft.groupsPerStep * draft.groupSize
  return Number.isFinite(rollouts)
    ? `${plural(rollouts, 'rollout')}, and ${formatCount(2 * draft.evalDraws)} fixed draws`
    : ''
}

function Section({ title, note, children }: { title: string; note: string; children: React.ReactNode }) {
  return (
    <fieldset className="draft-section">
      <legend>
        {title} <small className="draft-note">{note}</small>
      </legend>
      <div className="draft-grid">{children}</div>
    </fieldset>
  )
}

/** Whether there is anything to choose among. */
const several = ({ suites }: LaunchOptions, draft: LaunchDraft): boolean =>
  (suites.find(({ path }) => path === draft.suite)?.tasks ?? 1) > 1

/** Suites over a repository have tests of their own there, and no cases. */
const extent = ({ cases, tasks, grader }: SuiteOption): string =>
  cases === 0
    ? `${plural(tasks, 'task')}, graded by ${grader}`
    : `${plural(cases, 'case')}, ${plural(tasks, 'task')}`

function SuiteChoice({ options, draft, faults }: Props) {
  const suites = options.suites.filter((suite) => suite.role === 'train')
  return (
    <fieldset className="draft-section">
      <legend>
        Suite <small className="draft-note">gives the reward; frozen for the run</small>
      </legend>
      <div className="suite-cards">
        {suites.map((suite) => (
          <label key={suite.path} className="suite-card">
            <input
              type="radio"
              name="suite"
              checked={draft.suite === suite.path}
              onChange={() => changeDraft(withSuites(draft, options, { suite: suite.path }))}
            />
            <b>{suite.name}</b>
            <span>{extent(suite)}</span>
            <small>{suite.description}</small>
          </label>
        ))}
      </div>
      {suites.length === 0 && (
        <p className="dim">No suite was found. Put one into the data folder or the demo folder.</p>
      )}
      {faults.suite && <small className="draft-fault">{faults.suite}</small>}
    </fieldset>
  )
}

function AuditChoice({ options, draft, faults }: Props) {
  return (
    <Field
      label="Audit suite"
      about="Judges finished bodies for you, never for the reward. Without one, false acceptances stay unseen."
      fault={faults.audit}
    >
      {(ids) => (
        <select
          {...ids}
          value={draft.audit ?? ''}
          onChange={({ target }) =>
            changeDraft(withSuites(draft, options, { audit: target.value === '' ? null : target.value }))
          }
        >
          <option value="">none</option>
          {options.suites.map((suite) => (
            <option key={suite.path} value={suite.path}>
              {suite.name}, {extent(suite)}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** Where the run trains; with this machine alone there is nothing to choose. */
function BoxChoice({ options, draft, faults }: Props) {
  if (options.boxes.length < 2) return null
  return (
    <Field label="Box" about="The machine that trains; its verifier answers here." fault={faults.box}>
      {(ids) => (
        <select {...ids} value={draft.box} onChange={(event) => changeDraft({ box: event.target.value })}>
          {options.boxes.map((box) => (
            <option key={box.id} value={box.id}>
              {box.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

function Numbers({ rules, draft, faults }: { rules: NumberRule[]; draft: LaunchDraft; faults: Faults }) {
  return rules.map(({ name, label, unit, about, whole }) => (
    <Field key={name} label={label} about={about} unit={unit} fault={faults[name]}>
      {(ids) => (
        <input
          {...ids}
          type="number"
          step={whole ? 1 : 'any'}
          value={Number.isFinite(draft[name]) ? draft[name] : ''}
          onChange={(event) => changeDraft({ [name]: event.target.valueAsNumber })}
        />
      )}
    </Field>
  ))
}

/** The one shaping part that the embedded trainer has. */
function Shaping({ draft, fault }: { draft: LaunchDraft; fault: string | undefined }) {
  const weight = draft.shaping.format ?? 0
  return (
    <Field
      label="Shaping: format"
      about="Weight of an answer with one usable block; tests weigh 1."
      fault={fault}
    >
      {(ids) => (
        <input
          {...ids}
          type="number"
          step="any"
          value={Number.isFinite(weight) ? weight : ''}
          onChange={(event) => {
            const value = event.target.valueAsNumber
            changeDraft({ shaping: value === 0 ? {} : { format: value } })
          }}
        />
      )}
    </Field>
  )
}
