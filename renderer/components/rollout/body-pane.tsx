import { type ReactNode, useRef, useState } from 'react'
import type { RolloutDetail } from '#shared/ipc/contract.ts'
import { formatReward } from '../../app/format.ts'
import { useKeys } from '../../app/keys.ts'
import { CodeView } from '../code/code-view.tsx'
import { type DiffHandle, DiffView } from '../diff/diff-view.tsx'
import { statusInfo } from '../marks/status-info.ts'
import { Segments } from './facts.tsx'
import { NoBody } from './no-body.tsx'
import './rollout.css'
import { rolloutName } from './rollout-name.ts'

type Against = 'reference' | 'sibling' | 'nearest' | 'nothing'
type Sibling = RolloutDetail['siblings'][number]
type Text = { text: string; label: string }

type Props = {
  detail: RolloutDetail
  title?: ReactNode
  /** The nearest right body, where the view knows how to find one. Asked for when it is wanted. */
  nearest?: { value: Text | null; state: string; find: () => void }
}

/** The body beside the reference, another of its group or the nearest right one; alone where there is nothing to hold it against. */
export function BodyPane({ detail, title = 'Body', nearest }: Props) {
  const siblings = detail.siblings.filter((sibling) => sibling.body !== null)
  const [wanted, setWanted] = useState<Against>('reference')
  const [sibling, setSibling] = useState(0)
  const [whiteSpaceAside, setWhiteSpaceAside] = useState(false)
  const diff = useRef<DiffHandle>(null)
  const possible: Against[] = [
    ...(detail.reference === null ? [] : (['reference'] as const)),
    ...(siblings.length === 0 ? [] : (['sibling'] as const)),
    ...(nearest === undefined ? [] : (['nearest'] as const)),
    'nothing',
  ]
  const against = possible.includes(wanted) ? wanted : (possible[0] ?? 'nothing')
  const choose = (next: Against) => {
    if (next === 'nearest') nearest?.find()
    setWanted(next)
  }
  const index = sibling % Math.max(1, siblings.length)
  const step = (by: number) => {
    if (siblings.length === 0) return
    setWanted('sibling')
    setSibling((index + by + siblings.length) % siblings.length)
  }
  useKeys('Body', [
    {
      keys: 'd',
      label: 'diff against',
      footer: true,
      run: () => choose(possible[(possible.indexOf(against) + 1) % possible.length] ?? 'nothing'),
    },
    { keys: '[', label: 'previous sibling', run: () => step(-1) },
    { keys: ']', label: 'next sibling', footer: true, run: () => step(against === 'sibling' ? 1 : 0) },
    { keys: 'w', label: 'white space aside', run: () => setWhiteSpaceAside((now) => !now) },
    { keys: '.', label: 'next difference', run: () => diff.current?.next() },
    { keys: ',', label: 'previous difference', run: () => diff.current?.previous() },
  ])
  if (detail.body === null) return <NoBody detail={detail} />
  const other = siblings[index]
  const right: Text | null = {
    reference: detail.reference === null ? null : { text: detail.reference, label: 'reference' },
    sibling: other ? { text: other.body ?? '', label: nameOf(other) } : null,
    nearest: nearest?.value ?? null,
    nothing: null,
  }[against]
  return (
    <section className="panel body-pane" aria-label="Body">
      <div className="pane-bar">
        <h2>{title}</h2>
        {against === 'sibling' ? (
          <SiblingChoice siblings={siblings} index={index} onChoose={setSibling} />
        ) : null}
        {against === 'nearest' && right === null ? <span className="dim">{nearest?.state}</span> : null}
        <label className="check" title="White space aside; in Python, indentation is code and stays">
          <input
            type="checkbox"
            checked={whiteSpaceAside}
            onChange={(event) => setWhiteSpaceAside(event.target.checked)}
          />
          spaces aside
        </label>
        <Segments
          label="Diff against"
          value={against}
          onChange={choose}
          options={[
            { value: 'reference', label: 'reference', disabled: detail.reference === null },
            { value: 'sibling', label: `sibling ${siblings.length}`, disabled: siblings.length === 0 },
            ...(nearest === undefined ? [] : [{ value: 'nearest' as const, label: 'nearest right' }]),
            { value: 'nothing', label: 'alone' },
          ]}
        />
      </div>
      {right === null ? (
        <CodeView text={detail.body} language={detail.language} label="this body" />
      ) : (
        <DiffView
          handle={diff}
          left={{ text: detail.body, label: 'this body' }}
          right={right}
          language={detail.language}
          whiteSpaceAside={whiteSpaceAside}
        />
      )}
    </section>
  )
}

const nameOf = (sibling: Sibling) =>
  `${rolloutName(sibling.rollout)} · ${statusInfo(sibling.status).label} · ${formatReward(sibling.reward)}`

type ChoiceProps = { siblings: Sibling[]; index: number; onChoose: (index: number) => void }

function SiblingChoice({ siblings, index, onChoose }: ChoiceProps) {
  return (
    <select
      className="select"
      aria-label="Sibling"
      value={index}
      onChange={(event) => onChoose(Number(event.target.value))}
    >
      {siblings.map((sibling, number) => (
        <option key={sibling.rollout} value={number}>
          {nameOf(sibling)}
        </option>
      ))}
    </select>
  )
}
