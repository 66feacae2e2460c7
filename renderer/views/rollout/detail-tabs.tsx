import { type KeyboardEvent, type ReactNode, useState } from 'react'
import type { RolloutDetail } from '#shared/ipc/contract.ts'
import { useKeys } from '../../app/keys.ts'
import { CodeView } from '../../components/code/code-view.tsx'
import type { TestLine } from '../../components/rollout/test-lines.ts'
import { EvidencePane } from './evidence-pane.tsx'
import type { ShownTest } from './rollout-panes.tsx'
import { TestPane } from './test-pane.tsx'

type Props = {
  detail: RolloutDetail
  training: TestLine[]
  audit: TestLine[]
  chosen: ShownTest | null
  onChoose: (test: ShownTest) => void
}

const tabs = ['tests', 'audit', 'prompt', 'completion', 'evidence'] as const
type Tab = (typeof tabs)[number]

/** All that was said of the body, one kind at a time. Opens on what failed. */
export function DetailTabs(props: Props) {
  const { detail, training, audit } = props
  const failed = (lines: TestLine[]) => lines.filter((line) => line.outcome !== 'passed').length
  const [tab, setTab] = useState<Tab>(failed(training) === 0 && failed(audit) > 0 ? 'audit' : 'tests')
  const turn = (by: number) => setTab(tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length] ?? 'tests')
  useKeys('Details', [{ keys: 't', label: 'next tab', run: () => turn(1) }])
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (by === 0) return
    event.preventDefault()
    turn(by)
    const next =
      event.currentTarget.querySelectorAll('button')[(tabs.indexOf(tab) + by + tabs.length) % tabs.length]
    next?.focus()
  }
  return (
    <section className="panel rollout-tabs" aria-label="Details">
      <div className="tabs" role="tablist" aria-label="Details" onKeyDown={onKeyDown}>
        {tabs.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={name === tab}
            aria-controls="tab-panel"
            tabIndex={name === tab ? 0 : -1}
            onClick={() => setTab(name)}
          >
            {label(name, detail, failed)}
          </button>
        ))}
      </div>
      <div className="tab-panel" id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        <TabBody {...props} tab={tab} />
      </div>
    </section>
  )

  function label(
    name: Tab,
    { grade, auditGrade }: RolloutDetail,
    count: (lines: TestLine[]) => number,
  ): ReactNode {
    if (name === 'tests')
      return <Counted name="tests" failed={count(training)} total={grade ? training.length : null} />
    if (name === 'audit')
      return <Counted name="audit" failed={count(audit)} total={auditGrade ? audit.length : null} />
    return name
  }
}

function Counted({ name, failed, total }: { name: string; failed: number; total: number | null }) {
  if (total === null) return <span className="dim">{name} –</span>
  return (
    <>
      {name} {failed > 0 ? <b className="tab-failed">{failed} failed</b> : null}{' '}
      <span className="dim">of {total}</span>
    </>
  )
}

function TabBody({ tab, detail, training, audit, chosen, onChoose }: Props & { tab: Tab }) {
  switch (tab) {
    case 'tests':
      return (
        <TestPane
          suite="training"
          grade={detail.grade}
          lines={training}
          chosen={chosen}
          onChoose={onChoose}
        />
      )
    case 'audit':
      return (
        <TestPane suite="audit" grade={detail.auditGrade} lines={audit} chosen={chosen} onChoose={onChoose} />
      )
    case 'prompt':
      return <CodeView text={detail.prompt} language="text" label="prompt" />
    case 'completion':
      return detail.completion === null ? (
        <p className="pane-note dim">
          The completion is not here: it was not kept, or has not been fetched yet.
        </p>
      ) : (
        <CodeView text={detail.completion} language="text" label="raw completion" />
      )
    case 'evidence':
      return <EvidencePane detail={detail} />
  }
}
