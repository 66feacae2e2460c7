import { type ReactNode, useMemo, useRef, useState } from 'react'
import { tokenDistance } from '#shared/diff/token-diff.ts'
import type { RolloutDetail } from '#shared/ipc/contract.ts'
import { formatReward } from '../../app/format.ts'
import { useKeys } from '../../app/keys.ts'
import { CodeView } from '../code/code-view.tsx'
import { type DiffHandle, DiffView } from '../diff/diff-view.tsx'
import { statusInfo } from '../marks/status-info.ts'
import { BodyBar } from './body-bar.tsx'
import { type Against, useDiffChoice } from './diff-choice.ts'
import { type Nearest, useNearestRight } from './nearest-right.ts'
import { NoBody } from './no-body.tsx'
import './rollout.css'
import { rolloutName } from './rollout-name.ts'

type Sibling = RolloutDetail['siblings'][number]
type Text = { text: string; label: string }

/** The body beside the reference, another of its group or the nearest right one; alone where there is nothing to hold it against. */
export function BodyPane({ detail, title = 'Body' }: { detail: RolloutDetail; title?: ReactNode }) {
  const { body, row } = detail
  const nearest = useNearestRight(row.rollout, body)
  const siblings = useMemo(() => passingFirst(detail.siblings), [detail.siblings])
  const choice = useDiffChoice()
  const diff = useRef<DiffHandle>(null)
  const possible = possibilities(detail, siblings, nearest)
  const preferred = usePreferred(detail, nearest)
  const wanted = choice.against ?? preferred
  const against = possible.includes(wanted) ? wanted : (possible[0] ?? 'nothing')
  const choose = (next: Against) => useDiffChoice.setState({ against: next })
  const { index, setIndex, step } = useSiblings(siblings.length, () => choose('sibling'))
  useKeys('Body', [
    {
      keys: 'd',
      label: 'diff against',
      footer: true,
      run: () => choose(possible[(possible.indexOf(against) + 1) % possible.length] ?? 'nothing'),
    },
    { keys: '[', label: 'previous sibling', run: () => step(-1) },
    { keys: ']', label: 'next sibling', footer: true, run: () => step(against === 'sibling' ? 1 : 0) },
    {
      keys: 'w',
      label: 'formatting aside',
      run: () => useDiffChoice.setState({ formattingAside: !choice.formattingAside }),
    },
    { keys: 'z', label: 'fold or show what is equal', run: () => diff.current?.toggleFolds() },
    { keys: '.', label: 'next difference', run: () => diff.current?.next() },
    { keys: ',', label: 'previous difference', run: () => diff.current?.previous() },
  ])
  if (body === null) return <NoBody detail={detail} />
  const right = textOf(against, detail, siblings[index], nearest)
  return (
    <section className="panel body-pane" aria-label="Body">
      <BodyBar
        title={title}
        against={against}
        possible={possible}
        siblings={siblings.map(nameOf)}
        sibling={index}
        onSibling={setIndex}
        onAgainst={choose}
      />
      {right === null ? (
        <CodeView text={body} language={detail.language} label="this body" />
      ) : (
        <DiffView
          handle={diff}
          left={{ text: body, label: 'this body' }}
          right={right}
          language={detail.language}
          formattingAside={choice.formattingAside}
        />
      )}
    </section>
  )
}

/** Those with a body, those that passed first: what the policy could have written instead, in the same group. */
const passingFirst = (siblings: Sibling[]): Sibling[] =>
  siblings
    .filter((sibling) => sibling.body !== null)
    .toSorted((a, b) => Number(b.status === 'passed') - Number(a.status === 'passed'))

/** Which of the siblings is meant; stepping to one also holds the body against it. */
function useSiblings(count: number, onStep: () => void) {
  const [sibling, setIndex] = useState(0)
  const index = sibling % Math.max(1, count)
  const step = (by: number) => {
    if (count === 0) return
    onStep()
    setIndex((index + by + count) % count)
  }
  return { index, setIndex, step }
}

function possibilities(
  detail: RolloutDetail,
  siblings: Sibling[],
  nearest: Nearest | null | undefined,
): Against[] {
  return [
    ...(detail.reference === null ? [] : (['reference'] as const)),
    ...(siblings.length === 0 ? [] : (['sibling'] as const)),
    ...(nearest ? (['nearest'] as const) : []),
    ...(detail.previous?.body == null ? [] : (['previous'] as const)),
    'nothing',
  ]
}

/** Of the reference and the nearest right program, the one that says more with less: fewer tokens apart. */
function usePreferred(detail: RolloutDetail, nearest: Nearest | null | undefined): Against {
  const { body, reference } = detail
  return useMemo(() => {
    if (!nearest || body === null) return 'reference'
    if (reference === null) return 'nearest'
    return nearest.distance < tokenDistance(body, reference) ? 'nearest' : 'reference'
  }, [body, reference, nearest])
}

function textOf(
  against: Against,
  detail: RolloutDetail,
  sibling: Sibling | undefined,
  nearest: Nearest | null | undefined,
): Text | null {
  switch (against) {
    case 'reference':
      return detail.reference === null ? null : { text: detail.reference, label: 'reference' }
    case 'sibling':
      return sibling?.body == null ? null : { text: sibling.body, label: nameOf(sibling) }
    case 'nearest':
      return nearest ?? null
    case 'previous':
      return detail.previous?.body == null
        ? null
        : { text: detail.previous.body, label: nameOf(detail.previous) }
    case 'nothing':
      return null
  }
}

const nameOf = (sibling: Sibling) =>
  `${rolloutName(sibling.rollout)} · ${statusInfo(sibling.status).label} · ${formatReward(sibling.reward)}`
