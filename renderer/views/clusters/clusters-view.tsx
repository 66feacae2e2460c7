import { useEffect, useState } from 'react'
import { plural } from '../../app/format.ts'
import { HeaderSlot } from '../../app/slots.tsx'
import { Empty, Failure, Loading } from '../../components/ui/states.tsx'
import { pullClusters, useClusters } from '../../stores/clusters.ts'
import './clusters.css'
import { ContextList } from './context-list.tsx'
import { NamespacePane } from './namespace-pane.tsx'

/** The clusters that this machine's kubeconfigs lead to, and what of ours is in one of their namespaces. Nothing is asked of a cluster before it is opened. */
export function ClustersView() {
  const { list, error } = useClusters()
  const [chosen, setChosen] = useState<string | null>(null)
  useEffect(() => {
    pullClusters()
  }, [])
  const context = list?.contexts.find((one) => one.context === chosen) ?? null
  return (
    <>
      <HeaderSlot>
        <h1>Clusters</h1>
        {list ? <span className="dim">{plural(list.contexts.length, 'context')}</span> : null}
      </HeaderSlot>
      <div className="clusters">
        {list === null ? (
          error ? (
            <Failure error={error} onRetry={pullClusters} />
          ) : (
            <Loading what="the kubeconfigs" />
          )
        ) : (
          <>
            {list.problems.map((problem) => (
              <p key={problem} className="cluster-problem" role="alert">
                {problem}
              </p>
            ))}
            {list.contexts.length === 0 ? (
              <Empty title="No cluster is known">
                <p className="dim">
                  Looked in <span className="mono">{list.files.join(', ')}</span>. Set KUBECONFIG, or log in
                  to a cluster with its own tool.
                </p>
              </Empty>
            ) : (
              <div className="clusters-columns">
                <ContextList contexts={list.contexts} chosen={chosen} onChoose={setChosen} />
                {context?.key ? (
                  <NamespacePane key={context.context} context={context} />
                ) : (
                  <Empty title="Open a cluster">
                    <p className="dim">Choose a context. Until then nothing is asked of any cluster.</p>
                  </Empty>
                )}
              </div>
            )}
          </>
        )}
      </div>
    </>
  )
}
