import { useRef, useState } from 'react'
import type { RolloutDetail } from '#shared/ipc/contract.ts'
import { formatReward } from '../../app/format.ts'
import { useKeys } from '../../app/keys.ts'
import { CodeView } from '../../components/code/code-view.tsx'
import { type DiffHandle, DiffView } from '../../components/diff/diff-view.tsx'
import { statusInfo } from '../../components/marks/status-info.ts'
import { Segments } from '../../components/rollout/facts.tsx'
import { rolloutName } from '../../components/rollout/rollout-name.ts'
import { NoBody } from './no-body.tsx'

type Against = 'reference' | 'sibling' | 'nothing'
type Sibling = RolloutDetail['siblings'][number]

/** The body beside the reference or beside another of its group; alone where there is nothing to hold it against. */
export function BodyPane({ detail }: { detail: RolloutDetail }) {
  const siblings = detail.siblings.filter((sibling) => sibling.body !== null)
  const [wanted, setWanted] = useState<Against>('reference')
  const [sibling, setSibling] = useState(0)
  const [whiteSpaceAside, setWhiteSpaceAside] = useState(false)
  const diff = useRef<DiffHandle>(null)
  const possible: Against[] = [
    ...(detail.reference === null ? [] : (['reference'] as const)),
    ...(siblings.length === 0 ? [] : (['sibling'] as const)),
    'nothing',
  ]
  const against = possible.includes(wanted) ? wanted : (possible[0] ?? 'nothing')
  const other = siblings[sibling % Math.max(1, siblings.length)]
  const step = (by: number) => {
    setWanted('sibling')
    setSibling((now) => (now + by + siblings.length) % Math.max(1, siblings.length))
  }
  useKeys('Body', [
    {
      keys: 'd',
      label: 'diff against',
      footer: true,
      run: () => setWanted(possible[(possible.indexOf(against) + 1) % possible.length] ?? 'nothing'),
    },
    { keys: '[', label: 'previous sibling', run: () => step(-1) },
    { keys: ']', label: 'next sibling', footer: true, run: () => step(against === 'sibling' ? 1 : 0) },
    { keys: 'w', label: 'white space aside', run: () => setWhiteSpaceAside((now) => !now) },
    { keys: 'n', label: 'next difference', run: () => diff.current?.next() },
    { keys: 'Shift+N', label: 'previous difference', run: () => diff.current?.previous() },
  ])
  if (detail.body === null) return <NoBody detail={detail} />
  const right =
    against === 'reference' ? detail.reference : against === 'sibling' ? (other?.body ?? null) : null
  return (
    <section className="panel rollout-body" aria-label="Body">
      <div className="pane-bar">
        <h2>Body</h2>
        {against === 'sibling' && other ? (
          <SiblingChoice siblings={siblings} index={sibling % siblings.length} onChoose={setSibling} />
        ) : null}
        <label className="check">
          <input
            type="checkbox"
            checked={whiteSpaceAside}
            onChange={(event) => setWhiteSpaceAside(event.target.checked)}
          />
          white space aside
        </label>
        <Segments
          label="Diff against"
          value={against}
          onChange={setWanted}
          options={[
            { value: 'reference', label: 'reference', disabled: detail.reference === null },
            { value: 'sibling', label: `sibling ${siblings.length}`, disabled: siblings.length === 0 },
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
          right={{ text: right, label: against === 'reference' ? 'reference' : nameOf(other) }}
          language={detail.language}
          whiteSpaceAside={whiteSpaceAside}
        />
      )}
    </section>
  )
}

const nameOf = (sibling: Sibling | undefined) =>
  sibling === undefined
    ? 'sibling'
    : `${rolloutName(sibling.rollout)} · ${statusInfo(sibling.status).label} · ${formatReward(sibling.reward)}`

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
