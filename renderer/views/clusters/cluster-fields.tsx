import type { ClusterVerifierDraft, VerifierOrigin } from '#shared/domain/placement.ts'
import type { SharedVerifier } from '#shared/ipc/clusters.ts'
import { Field } from '../../components/ui/field.tsx'
import { orNull } from './cluster-draft.ts'

type Props = {
  draft: ClusterVerifierDraft
  origins: VerifierOrigin['kind'][]
  shared: SharedVerifier[]
  onChange: (changes: Partial<ClusterVerifierDraft>) => void
  onOrigin: (kind: VerifierOrigin['kind']) => void
}

const originWords: Record<VerifierOrigin['kind'], string> = {
  copy: 'a copy of a shared verifier',
  manifest: 'the project’s own manifest',
  shared: 'the shared verifier itself',
}

/** What a person decides about a verifier in a cluster. */
export function ClusterFields({ draft, origins, shared, onChange, onOrigin }: Props) {
  const { from } = draft
  return (
    <div className="cluster-grid">
      <Field
        label="Made from"
        about={
          from.kind === 'shared'
            ? 'Whoever changes it changes your run; no other run may use it meanwhile.'
            : 'The run gets one of its own.'
        }
      >
        {(ids) => (
          <select
            {...ids}
            value={from.kind}
            onChange={(event) => onOrigin(event.target.value as VerifierOrigin['kind'])}
          >
            {origins.map((kind) => (
              <option key={kind} value={kind}>
                {originWords[kind]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {from.kind === 'manifest' ? (
        <ManifestFields from={from} onChange={(changes) => onChange({ from: { ...from, ...changes } })} />
      ) : (
        <Field label="Shared verifier">
          {(ids) => (
            <select
              {...ids}
              value={from.deployment}
              onChange={(event) => onChange({ from: { ...from, deployment: event.target.value } })}
            >
              {shared.map(({ name, image }) => (
                <option key={name} value={name}>
                  {name}, {image}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <Field label="Commit" about="Full hash; written into the pod as a literal.">
        {(ids) => (
          <input
            {...ids}
            className="mono"
            spellCheck={false}
            value={draft.commit ?? ''}
            onChange={(event) => onChange({ commit: orNull(event.target.value) })}
          />
        )}
      </Field>
      <Field label="Replicas" about="Bodies are spread over them.">
        {(ids) => (
          <input
            {...ids}
            type="number"
            min={1}
            max={16}
            value={draft.replicas}
            onChange={(event) => onChange({ replicas: event.target.valueAsNumber || 1 })}
          />
        )}
      </Field>
      <Field label="Least isolation" about="Below it the pod grades nothing.">
        {(ids) => (
          <select
            {...ids}
            value={draft.isolation ?? ''}
            onChange={(event) =>
              onChange({ isolation: orNull(event.target.value) as ClusterVerifierDraft['isolation'] })
            }
          >
            <option value="">whatever there is</option>
            <option value="sandbox">a sandbox</option>
            <option value="user">a user of its own a slot</option>
            <option value="container">the container</option>
          </select>
        )}
      </Field>
      <Field label="Memory" about="The most; more ends the pod.">
        {(ids) => (
          <input
            {...ids}
            value={draft.resources.memoryLimit}
            onChange={(event) =>
              onChange({ resources: { ...draft.resources, memoryLimit: event.target.value } })
            }
          />
        )}
      </Field>
      <Field label="Disk" about="Asked for, so that the scheduler sees it.">
        {(ids) => (
          <input
            {...ids}
            value={draft.resources.diskRequest}
            onChange={(event) =>
              onChange({
                resources: {
                  ...draft.resources,
                  diskRequest: event.target.value,
                  diskLimit: event.target.value,
                },
              })
            }
          />
        )}
      </Field>
    </div>
  )
}

type FromManifest = Extract<VerifierOrigin, { kind: 'manifest' }>
type ManifestProps = { from: FromManifest; onChange: (changes: Partial<FromManifest>) => void }

function ManifestFields({ from, onChange }: ManifestProps) {
  const text = (name: 'image' | 'remote' | 'suite', label: string, about: string) => (
    <Field label={label} about={about}>
      {(ids) => (
        <input
          {...ids}
          spellCheck={false}
          value={from[name] ?? ''}
          onChange={(event) =>
            onChange({ [name]: name === 'image' ? event.target.value.trim() : orNull(event.target.value) })
          }
        />
      )}
    </Field>
  )
  return (
    <>
      {text('image', 'Image', 'Of the verifier; by digest where you can.')}
      {text('remote', 'Git remote', 'Where the pod fetches the commit; empty: the image has it.')}
      {text('suite', 'Suite’s folder', 'In the remote, or in the image.')}
    </>
  )
}
