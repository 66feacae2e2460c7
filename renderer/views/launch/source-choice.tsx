import type { LaunchDraft } from '#shared/ipc/contract.ts'
import { Field } from '../../components/ui/field.tsx'
import { changeDraft } from '../../stores/launch.ts'

/** The repository that bodies of a suite are put into, and the commit that the run is pinned to. */
export function SourceChoice({ draft, fault }: { draft: LaunchDraft; fault: string | undefined }) {
  const { source } = draft
  if (source === null) return null
  return (
    <div className="draft-grid">
      <Field
        label="Repository"
        about="Its folder on this machine; bodies are put into a copy of it."
        fault={fault}
      >
        {(ids) => (
          <input
            {...ids}
            spellCheck={false}
            value={source.repo}
            placeholder="~/code/project"
            onChange={({ target }) => changeDraft({ source: { ...source, repo: target.value } })}
          />
        )}
      </Field>
      <Field label="Commit" about="The run stays at it, whatever the branch does.">
        {(ids) => (
          <input
            {...ids}
            spellCheck={false}
            value={source.commit}
            placeholder="HEAD"
            onChange={({ target }) => changeDraft({ source: { ...source, commit: target.value } })}
          />
        )}
      </Field>
    </div>
  )
}
