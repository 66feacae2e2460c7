import type { LaunchDraft } from '#shared/ipc/contract.ts'
import { Field } from '../../components/ui/field.tsx'
import { changeDraft } from '../../stores/launch.ts'

/** How the chosen box reaches the verifier here. */
export function ReachChoice({ draft, fault }: { draft: LaunchDraft; fault: string | undefined }) {
  const { reach } = draft
  return (
    <>
      <Field
        label="Reaches the verifier by"
        about={
          reach.kind === 'tunnel'
            ? 'A loopback port of the box leads here, through the SSH connection.'
            : 'Both are in one network: the name is pinned in the box’s hosts file until the teardown.'
        }
        fault={fault}
      >
        {(ids) => (
          <select
            {...ids}
            value={reach.kind}
            onChange={({ target }) =>
              changeDraft({
                reach: target.value === 'mesh' ? { kind: 'mesh', name: '', address: '' } : { kind: 'tunnel' },
              })
            }
          >
            <option value="tunnel">a tunnel</option>
            <option value="mesh">a mesh</option>
          </select>
        )}
      </Field>
      {reach.kind === 'mesh' ? (
        <>
          <Field label="Name there" about="What the box is to call this machine.">
            {(ids) => (
              <input
                {...ids}
                spellCheck={false}
                value={reach.name}
                placeholder="verifier.mesh"
                onChange={({ target }) => changeDraft({ reach: { ...reach, name: target.value.trim() } })}
              />
            )}
          </Field>
          <Field label="Address here" about="Of this machine in that network; the verifier listens at it.">
            {(ids) => (
              <input
                {...ids}
                spellCheck={false}
                value={reach.address}
                placeholder="100.64.0.7"
                onChange={({ target }) => changeDraft({ reach: { ...reach, address: target.value.trim() } })}
              />
            )}
          </Field>
        </>
      ) : null}
    </>
  )
}
