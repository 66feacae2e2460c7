import { useEffect, useRef } from 'react'
import type { AuditView, Mechanism } from '#shared/ipc/contract.ts'
import { formatCount, plural } from '../../app/format.ts'
import { Mark } from '../../components/marks/mark.tsx'
import { rolloutName } from '../../components/rollout/rollout-name.ts'
import type { ReviewBody } from './review.ts'
import { VerdictPill } from './verdict-pill.tsx'

type Props = {
  audit: AuditView
  bodies: ReviewBody[]
  selected: string | null
  onSelect: (bodySha256: string) => void
}

/** False acceptances by the way in which they fail, then by distinct program. */
export function MechanismList({ audit, bodies, selected, onSelect }: Props) {
  return (
    <nav className="panel mechanisms" aria-label="Mechanisms">
      {audit.mechanisms.map((mechanism) => (
        <section key={mechanism.id} aria-labelledby={`mechanism-${mechanism.id}`}>
          <Heading mechanism={mechanism} />
          <ul>
            {bodies
              .filter((body) => body.mechanism === mechanism.id)
              .map((body) => (
                <Row
                  key={body.bodySha256}
                  body={body}
                  on={body.bodySha256 === selected}
                  onSelect={() => onSelect(body.bodySha256)}
                />
              ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}

function Heading({ mechanism }: { mechanism: Mechanism }) {
  const { id, name, description, draws, programs, signature } = mechanism
  const failing = signature.families.filter((family) => family.failed > 0)
  return (
    <header className="mechanism-head">
      <h2 id={`mechanism-${id}`}>
        {name} <b title={plural(draws, 'draw')}>{formatCount(draws)}</b>
      </h2>
      {description === '' ? null : <p>{description}</p>}
      <p title={failing.map((family) => `${family.family} ${family.failed}/${family.total}`).join(', ')}>
        {plural(draws, 'draw')} · {plural(programs, 'program')} · fails {signature.failed} of{' '}
        {signature.total}
      </p>
    </header>
  )
}

function Row({ body, on, onSelect }: { body: ReviewBody; on: boolean; onSelect: () => void }) {
  const ref = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (on) ref.current?.scrollIntoView({ block: 'nearest' })
  }, [on])
  return (
    <li>
      <button
        type="button"
        ref={ref}
        className={on ? 'mechanism-row on' : 'mechanism-row'}
        title={`first drawn as ${rolloutName(body.firstRollout)}`}
        aria-current={on || undefined}
        onClick={onSelect}
      >
        <Mark status="passed" />
        <span className="mono">{body.bodySha256.slice(0, 6)}</span>
        <small>
          {plural(body.rollouts, 'draw')}
          {body.note === '' ? '' : ' · noted'}
        </small>
        <span className="score">
          {body.passed ?? '–'}/{body.total ?? '–'}
        </span>
        <VerdictPill verdict={body.verdict} />
      </button>
    </li>
  )
}
