import { SelectionSpec } from '#shared/domain/selection.ts'
import type { LaunchDraft } from '#shared/ipc/contract.ts'
import { Field } from '../../components/ui/field.tsx'
import { changeDraft } from '../../stores/launch.ts'

const ways: Record<SelectionSpec['by'], string> = {
  uniform: 'evenly, in random order',
  curriculum: 'the easiest first',
  mixed: 'where groups teach',
}

/** How each group's task is chosen; of interest only where the suite has several. */
export function SelectionChoice({ draft }: { draft: LaunchDraft }) {
  const { selection } = draft
  const choose = (by: string) =>
    changeDraft({ selection: by === '' ? null : SelectionSpec.parse({ ...selection, by }) })
  return (
    <>
      <Field label="Tasks" about="Which task each group gets, from what the baseline measured.">
        {(ids) => (
          <select {...ids} value={selection?.by ?? ''} onChange={({ target }) => choose(target.value)}>
            <option value="">each in turn</option>
            {Object.entries(ways).map(([by, label]) => (
              <option key={by} value={by}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      {selection?.by === 'mixed' ? (
        <Field
          label="Explored"
          about="Share of the groups that go evenly over all tasks, solved and hopeless too."
        >
          {(ids) => (
            <input
              {...ids}
              type="number"
              min={0}
              max={1}
              step={0.05}
              value={selection.explore}
              onChange={({ target }) =>
                changeDraft({
                  selection: {
                    ...selection,
                    explore: Math.min(1, Math.max(0, target.valueAsNumber || 0)),
                  },
                })
              }
            />
          )}
        </Field>
      ) : null}
    </>
  )
}
