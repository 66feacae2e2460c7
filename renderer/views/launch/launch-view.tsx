import { useEffect, useState } from 'react'
import type { LaunchDraft } from '#shared/ipc/contract.ts'
import { plural } from '../../app/format.ts'
import { useKeys } from '../../app/keys.ts'
import { go } from '../../app/router.ts'
import { HeaderSlot } from '../../app/slots.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Failure, Loading } from '../../components/ui/states.tsx'
import { checkDraft, type LaunchState, loadLaunchOptions, startRun, useLaunch } from '../../stores/launch.ts'
import { DemoCard } from './demo-card.tsx'
import { DraftForm, type Faults } from './draft-form.tsx'
import { draftFaults, namedFault } from './draft-rules.ts'
import { trainerFault } from './draft-suites.ts'
import { HolesDialog } from './holes-dialog.tsx'
import './launch.css'
import { PreflightList } from './preflight-list.tsx'

/** Describes a run, checks everything it needs, and starts it. */
export function LaunchView() {
  const state = useLaunch()
  const { options, draft, error, busy } = state
  useEffect(() => void loadLaunchOptions(), [])
  const [holes, setHoles] = useState(false)
  const faults = draft ? faultsOf(draft, state) : {}
  const sound = Object.keys(faults).length === 0
  const launch = () => {
    if (draft && sound && busy === 'no') void startAndGo(draft)
  }
  useKeys('Launch', [
    { keys: '$mod+Enter', label: 'launch', footer: true, inFields: true, run: launch },
    { keys: 'c', label: 'check', footer: true, run: () => sound && void checkDraft() },
    { keys: 'h', label: 'holes of the suite', footer: true, run: () => setHoles(true) },
  ])
  return (
    <>
      <HeaderSlot>
        <h1>Launch a run</h1>
      </HeaderSlot>
      {options && draft ? (
        <div className="launch">
          <div className="launch-form">
            <DemoCard />
            <DraftForm options={options} draft={draft} faults={faults} />
          </div>
          <aside className="launch-side" aria-label="Preflight and launch">
            <Checks state={state} />
            <div className="launch-actions">
              <Button onClick={() => setHoles(true)}>Find holes</Button>
              <Button onClick={() => void checkDraft()} disabled={!sound || busy !== 'no'}>
                Check only
              </Button>
              <Button look="primary" onClick={launch} disabled={!sound || busy !== 'no'}>
                {busy === 'starting' ? 'Starting' : 'Check and launch'}
              </Button>
            </div>
            <HolesDialog
              suite={draft.suite}
              audit={draft.audit}
              source={draft.source}
              open={holes}
              onClose={() => setHoles(false)}
            />
          </aside>
        </div>
      ) : error ? (
        <Failure error={error} onRetry={() => void loadLaunchOptions()} />
      ) : (
        <Loading what="the suites" />
      )}
    </>
  )
}

async function startAndGo(draft: LaunchDraft): Promise<void> {
  const run = await startRun(draft)
  if (run !== null) go({ view: 'live', run })
}

function faultsOf(draft: LaunchDraft, { error, options }: LaunchState): Faults {
  const named = error && namedFault(error, draft)
  const trainer = options && trainerFault(draft, options)
  return {
    ...(named ? { [named.field]: named.text } : {}),
    ...draftFaults(draft),
    ...(trainer ? { pipeline: trainer } : {}),
  }
}

function Checks({ state }: { state: LaunchState }) {
  const { rows, verdict, busy, checked, draft, error } = state
  const old = checked !== null && busy === 'no' && checked !== JSON.stringify(draft)
  const elsewhere = error && draft && !namedFault(error, draft)
  return (
    <section className="launch-checks" aria-labelledby="checks-title">
      <h2 id="checks-title">
        Preflight{' '}
        <small className="launch-count">
          {old && rows.length > 0 ? 'of the form before its last change' : summary(state)}
        </small>
      </h2>
      {elsewhere && error.code !== 'preflight_failed' && (
        <p className="launch-error" role="alert">
          {error.message} {error.hint}
        </p>
      )}
      {rows.length === 0 ? (
        <p className="dim">
          Before anything starts, the machine, the suites, the verifier and the grader’s own controls are
          checked. Nothing is left behind by it.
        </p>
      ) : (
        <PreflightList onRetry={() => void checkDraft()} />
      )}
      {verdict === 'failed' && (
        <p className="launch-verdict">Nothing was started. Follow the remedy of each failing row.</p>
      )}
    </section>
  )
}

function summary({ rows, busy, verdict }: LaunchState): string {
  const count = (state: string) => rows.filter((row) => row.state === state).length
  if (busy !== 'no') return `${rows.length - count('running')} checked`
  if (verdict === null) return rows.length === 0 ? 'not checked yet' : ''
  const parts = [`${count('passed')} passed`]
  if (count('warned') > 0) parts.push(plural(count('warned'), 'warning'))
  if (count('failed') > 0) parts.push(`${count('failed')} failed`)
  return parts.join(', ')
}
