import type { ReactNode } from 'react'
import { type Against, useDiffChoice } from './diff-choice.ts'
import { Segments } from './facts.tsx'

type Props = {
  title: ReactNode
  against: Against
  possible: Against[]
  siblings: string[]
  sibling: number
  onSibling: (index: number) => void
  onAgainst: (against: Against) => void
}

/** What the body is, and what it is held against. */
export function BodyBar({ title, against, possible, siblings, sibling, onSibling, onAgainst }: Props) {
  const formattingAside = useDiffChoice((state) => state.formattingAside)
  const option = (value: Against, label: string) => ({ value, label, disabled: !possible.includes(value) })
  return (
    <div className="pane-bar">
      <h2>{title}</h2>
      {against === 'sibling' ? (
        <select
          className="select"
          aria-label="Sibling"
          value={sibling}
          onChange={(event) => onSibling(Number(event.target.value))}
        >
          {siblings.map((name, number) => (
            <option key={name} value={number}>
              {name}
            </option>
          ))}
        </select>
      ) : null}
      <label
        className="check"
        title="White space, broken lines and trailing commas aside; in Python, indentation is code and stays"
      >
        <input
          type="checkbox"
          checked={formattingAside}
          onChange={(event) => useDiffChoice.setState({ formattingAside: event.target.checked })}
        />
        formatting aside
      </label>
      <Segments
        label="Diff against"
        value={against}
        onChange={onAgainst}
        options={[
          option('reference', 'reference'),
          option('sibling', `sibling ${siblings.length}`),
          option('nearest', 'nearest right'),
          option('previous', 'step before'),
          option('nothing', 'alone'),
        ]}
      />
    </div>
  )
}
