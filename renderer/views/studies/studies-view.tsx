import { useState } from 'react'
import { formatCount } from '../../app/format.ts'
import { go, useRoute } from '../../app/router.ts'
import { HeaderSlot } from '../../app/slots.tsx'
import { Empty, Failure, Loading } from '../../components/ui/states.tsx'
import { useRequest } from '../../stores/use-request.ts'
import { ArmsPanel } from './arms-panel.tsx'
import { ConfusionPanel } from './confusion-panel.tsx'
import { DrawsDialog } from './draws-dialog.tsx'
import { OpenDraws, type Shown } from './draws-door.tsx'
import { FinalPanel, MechanismsPanel, OrderingPanel } from './finding-panels.tsx'
import { PairedPanel } from './paired-panel.tsx'
import { PrefixPanel } from './prefix-panel.tsx'
import './studies.css'

/** A table of saved draws, opened as a finished project: every figure with what it is a share of. */
export function StudiesView() {
  const route = useRoute()
  const [shown, setShown] = useState<Shown | null>(null)
  const studies = useRequest('studies.list', {})
  const named = route.view === 'studies' ? route.study : null
  const study = named ?? studies.value?.[0]?.study ?? null
  const opened = useRequest('studies.get', study === null ? null : { study })
  const error = opened.error ?? studies.error
  if (error !== null) return <Failure error={error} onRetry={opened.error ? opened.reload : studies.reload} />
  if (studies.value?.length === 0 && named === null) {
    return (
      <Empty title="No study">
        <p className="dim">A folder with a table of saved draws, draws.csv, is listed here.</p>
      </Empty>
    )
  }
  if (opened.value === null) return <Loading what="the study" />
  const { title, source, cases, figures } = opened.value
  return (
    <OpenDraws value={setShown}>
      <HeaderSlot>
        <h1 title={title}>{title}</h1>
        <span className="dim study-source" title={source}>
          {formatCount(figures.draws)} draws · {formatCount(figures.distinctSources)} distinct programs ·{' '}
          {source}
        </span>
        {(studies.value?.length ?? 0) < 2 ? null : (
          <select
            className="select"
            aria-label="Study"
            value={study ?? ''}
            onChange={(event) => go({ view: 'studies', study: event.target.value })}
          >
            {studies.value?.map((one) => (
              <option key={one.study} value={one.study}>
                {one.title}
              </option>
            ))}
          </select>
        )}
      </HeaderSlot>
      <div className="study">
        <ConfusionPanel figures={figures} cases={cases} />
        <MechanismsPanel figures={figures} cases={cases} />
        <OrderingPanel figures={figures} />
        <FinalPanel figures={figures} />
        <ArmsPanel figures={figures} auditCases={cases.audit ?? 0} />
        <PairedPanel figures={figures} />
        <PrefixPanel figures={figures} />
      </div>
      <DrawsDialog study={opened.value.study} cases={cases} shown={shown} onClose={() => setShown(null)} />
    </OpenDraws>
  )
}
