import { useState } from 'react'
import type { ClusterLook, ContextView } from '#shared/ipc/clusters.ts'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/dialog.tsx'
import { Field } from '../../components/ui/field.tsx'
import { Panel } from '../../components/ui/panel.tsx'
import { Failure, Loading } from '../../components/ui/states.tsx'
import { setWritable } from '../../stores/clusters.ts'
import { useRequest } from '../../stores/use-request.ts'
import { OurObjects } from './our-objects.tsx'
import { PlanPane } from './plan-pane.tsx'
import { Rights } from './rights.tsx'

type Props = { context: ContextView }

/** One namespace of an opened cluster: who one is there, what others share, what is ours. */
export function NamespacePane({ context }: Props) {
  const [typed, setTyped] = useState(context.namespace ?? 'default')
  const [namespace, setNamespace] = useState(typed)
  const look = useRequest('clusters.look', { context: context.context, namespace })
  return (
    <section className={`namespace cluster-edge-${context.colour ?? 'none'}`} aria-label={context.context}>
      <header className="namespace-head">
        <h2>{context.context}</h2>
        <span className="dim mono">{context.server}</span>
        <WritableSwitch context={context} />
      </header>
      <form
        className="namespace-form"
        onSubmit={(event) => {
          event.preventDefault()
          setNamespace(typed.trim() || 'default')
        }}
      >
        <Field label="Namespace">
          {(ids) => (
            <input
              {...ids}
              spellCheck={false}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit">Look</Button>
      </form>
      {look.error ? (
        <Failure error={look.error} meaning="No run is affected by this look." onRetry={look.reload} />
      ) : look.value === null ? (
        <Loading what={context.context} />
      ) : (
        <Looked context={context} namespace={namespace} look={look.value} />
      )}
    </section>
  )
}

function Looked({ context, namespace, look }: Props & { namespace: string; look: ClusterLook }) {
  return (
    <>
      <Panel
        title="Rights"
        note="as the cluster itself says"
        aside={<span className="dim">{look.version}</span>}
      >
        <Rights rows={look.access} />
      </Panel>
      <Panel title="Verifier of a run’s own" note="what would be made, beside what it is made from">
        <PlanPane context={context} namespace={namespace} look={look} />
      </Panel>
      <Panel title="Ours in this namespace" note="everything with our label">
        <OurObjects objects={look.ours} context={context.context} />
      </Panel>
    </>
  )
}

/** Asked before it is switched on, never before it is switched off. */
function WritableSwitch({ context }: Props) {
  const [asking, setAsking] = useState(false)
  const key = context.key ?? ''
  return (
    <span className="namespace-switch">
      {context.writable ? (
        <Button onClick={() => void setWritable(key, false)}>Make read-only</Button>
      ) : (
        <Button onClick={() => setAsking(true)}>Allow changes…</Button>
      )}
      <ConfirmDialog
        open={asking}
        title="Allow changes in this cluster?"
        action="Allow changes"
        onConfirm={() => void setWritable(key, true)}
        onClose={() => setAsking(false)}
      >
        <p>
          This console may then create and delete objects at <span className="mono">{context.server}</span>,
          whatever context leads there. It only ever touches objects with its own label.
        </p>
      </ConfirmDialog>
    </span>
  )
}
