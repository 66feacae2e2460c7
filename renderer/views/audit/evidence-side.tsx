import { useMemo } from 'react'
import type { Mechanism, RolloutDetail } from '#shared/ipc/contract.ts'
import { formatDuration, plural } from '../../app/format.ts'
import { href } from '../../app/router.ts'
import { Copyable } from '../../components/code/copyable.tsx'
import { Facts } from '../../components/rollout/facts.tsx'
import { byFamily, smallestFailure, testLines } from '../../components/rollout/test-lines.ts'
import { Panel } from '../../components/ui/panel.tsx'
import { Witness } from '../../components/witness/witness.tsx'
import { bodyFilter, door } from './doors.ts'
import type { ReviewBody } from './review.ts'

type Props = { run: string; mechanism: Mechanism; body: ReviewBody; detail: RolloutDetail | null }

/** Why it is wrong, where, and what that rests on. */
export function EvidenceSide({ run, mechanism, body, detail }: Props) {
  const lines = useMemo(() => (detail ? testLines(detail.auditGrade, detail.cases.audit) : []), [detail])
  return (
    <>
      <WitnessOf mechanism={mechanism} lines={lines} />
      <Panel title="Audit, by family" className="audit-families">
        <Facts
          rows={(lines.length > 0 ? byFamily(lines) : fromSignature(mechanism)).map((score) => [
            score.family,
            <FamilyScore key={score.family} {...score} />,
          ])}
        />
        <h3>Evidence</h3>
        <Facts rows={evidenceRows(run, body, detail)} />
      </Panel>
    </>
  )
}

function FamilyScore({ passed, total }: { passed: number; total: number }) {
  return (
    <span className={passed === 0 ? 'bad-score' : passed < total ? 'part-score' : undefined}>
      {passed}/{total}
    </span>
  )
}

function evidenceRows(
  run: string,
  body: ReviewBody,
  detail: RolloutDetail | null,
): Parameters<typeof Facts>[0]['rows'] {
  const audit = detail?.auditGrade ?? null
  const program = <Copyable value={body.bodySha256} name="body sha256" />
  const evidence = audit?.evidenceSha256 ? (
    <Copyable value={audit.evidenceSha256} name="audit evidence sha256" />
  ) : undefined
  const draws = (
    <a className="figure door" href={door(run, bodyFilter(body.bodySha256))}>
      {plural(body.rollouts, 'draw')}
    </a>
  )
  const first = (
    <a
      className="figure door"
      href={href({ view: 'rollout', rollout: body.firstRollout, filter: 'is:false_acceptance' })}
    >
      open
    </a>
  )
  return [
    ['program', program],
    ['audit suite', audit?.suite ? `${audit.suite.name} ${audit.suite.version}` : undefined],
    ['audit evidence', evidence],
    ['audited in', audit ? formatDuration(audit.testMs) : undefined],
    ['drawn', draws],
    ['first rollout', first],
  ]
}

function WitnessOf({ mechanism, lines }: { mechanism: Mechanism; lines: ReturnType<typeof testLines> }) {
  const { witness } = mechanism
  // The mechanism's smallest case, with what this very body answered to it; another case only where the mechanism has none.
  const own = witness ? lines.find((line) => line.name === witness.case) : smallestFailure(lines)
  if (!witness && !own) return null
  return (
    <Panel title="Smallest witness" note={noteOf(witness) ?? own?.name}>
      <Witness
        input={witness?.input ?? own?.input ?? null}
        expected={witness?.expected ?? own?.expected ?? null}
        observed={own?.observed ?? witness?.observed ?? null}
      />
      {mechanism.like.length === 0 ? null : (
        <p className="audit-like dim">Answers every audit case as {mechanism.like.join('; ')}.</p>
      )}
    </Panel>
  )
}

function noteOf(witness: Mechanism['witness']): string | undefined {
  if (witness === null) return undefined
  return witness.shrunk ? 'shrunk from a failing case' : `${witness.family} · ${witness.case}`
}

const fromSignature = (mechanism: Mechanism) =>
  mechanism.signature.families.map(({ family, failed, total }) => ({ family, passed: total - failed, total }))
