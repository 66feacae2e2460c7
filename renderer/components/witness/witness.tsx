import { intervalsOf } from '#shared/rollouts/intervals.ts'
import { IntervalFigure } from './interval-figure.tsx'
import './witness.css'

type Props = {
  /** JSON text of the argument list; null where the suite does not say. */
  input: string | null
  expected: string | null
  /** Null where the body gave no answer. */
  observed: string | null
  detail?: string | undefined
}

/** One case that a body got wrong: its input drawn where it can be, and what was wanted beside what came. */
export function Witness({ input, expected, observed, detail }: Props) {
  const intervals = input === null ? null : intervalsOf(input)
  return (
    <div className="witness">
      {intervals === null ? null : <IntervalFigure intervals={intervals} />}
      {input === null ? null : <code className="witness-input">{input}</code>}
      <dl className="witness-answers">
        <div>
          <dt>expected</dt>
          <dd>{expected ?? '–'}</dd>
        </div>
        <div className={observed === expected ? undefined : 'wrong'}>
          <dt>this body</dt>
          <dd>{observed ?? 'no answer'}</dd>
        </div>
      </dl>
      {detail ? <pre className="witness-detail">{detail}</pre> : null}
    </div>
  )
}
