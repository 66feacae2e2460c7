import { useState } from 'react'
import { useRoute } from '../../app/router.ts'
import { Empty, Failure, Loading } from '../../components/ui/states.tsx'
import { useCurrentRun } from '../../stores/current-run.ts'
import { useSignals } from '../../stores/signals.ts'
import { useRequest } from '../../stores/use-request.ts'
import './audit.css'
import { AuditOfRun } from './audit-of-run.tsx'
import { pauseMs } from './use-triage.ts'

/** Every body that got full marks and should not have, by mechanism, with what the operator says of it. */
export function AuditView() {
  const route = useRoute()
  const run = useCurrentRun(route.view === 'audit' ? route.run : null)
  const signal = useSignals((state) => (run === null ? 0 : (state.audits[run] ?? 0)))
  const [programs, setPrograms] = useState(0)
  const audit = useRequest('audit.get', run === null ? null : { run }, signal, pauseMs(programs))
  const found = audit.value?.mechanisms.reduce((sum, mechanism) => sum + mechanism.programs, 0) ?? programs
  if (found !== programs) setPrograms(found)
  if (run === null) {
    return (
      <Empty title="No run yet">
        <p className="dim">
          What a run’s verifier accepts is audited here by a suite that training never sees.
        </p>
      </Empty>
    )
  }
  if (audit.value !== null) {
    const { queue = 'false_acceptances', filter = '' } = route.view === 'audit' ? route : {}
    return <AuditOfRun key={run} audit={audit.value} queue={queue} filter={filter} />
  }
  if (audit.error !== null) return <Failure error={audit.error} onRetry={audit.reload} />
  return <Loading what="the audit" />
}
