import { useMemo } from 'react'
import type { Mechanism, RolloutDetail, TriageRow } from '#shared/ipc/contract.ts'
import { formatDuration, plural } from '../../app/format.ts'
import { href } from '../../app/router.ts'
import { Copyable } from '../../components/code/copyable.tsx'
import { Facts } from '../../components/rollout/facts.tsx'
import { byFamily, smallestFailure, testLines } from '../../components/rollout/test-lines.ts'
import { Panel } from '../../components/ui/panel.tsx'
import { Witness } from '../../components/witness/witness.tsx'
import { bodyFilter, door } from './doors.ts'

type Props = {
  run: string
  /** What the program is an example of; null where it is in no mechanism. */
  mechanism: Mechanism | null
  row: TriageRow
  /** The list's, for going on in it from the rollout. */
  filter: string
  detail: RolloutDetail | null
}

/** Why it is wrong, where, and what that rests on: by the audit where it has graded the program, else by training. */
export function EvidenceSide({ run, mechanism, row, filter, detail }: Props) {
  const audited = row.audit !== null
  const lines = useMemo(() => {
    if (detail === null) return []
    const { auditGrade, grade, cases } = detail
    return audited ? testLines(auditGrade, cases.audit) : testLines(grade, cases.training)
  }, [detail, audited])
  const families = lines.length > 0 ? byFamily(lines) : mechanism ? fromSignature(mechanism) : []
  return (
    <>
      <WitnessOf mechanism={mechanism} lines={lines} />
      <Panel
        title={audited ? 'Audit, by family' : 'Training, by family'}
        note={row.status === 'passed' ? undefined : row.status.replaceAll('_', ' ')}
        className="audit-families"
      >
        {families.length === 0 ? (
          <p className="dim">{sayNoTests(detail)}</p>
        ) : (
          <Facts
            rows={families.map((score) => [score.family, <FamilyScore key={score.family} {...score} />])}
          />
        )}
        <h3>Evidence</h3>
        <Facts rows={evidenceRows(run, row, filter, detail)} />
      </Panel>
    </>
  )
}

function sayNoTests(detail: RolloutDetail | null): string {
  const reason = detail?.grade?.reason ?? detail?.row.reason
  if (detail === null) return ''
  return reason ? `No test has an outcome: ${reason.replaceAll('_', ' ')}.` : 'No test has an outcome.'
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
  row: TriageRow,
  filter: string,
  detail: RolloutDetail | null,
): Parameters<typeof Facts>[0]['rows'] {
  const audit = detail?.auditGrade ?? null
  const hash = (value: string | null | undefined, name: string) =>
    value ? <Copyable value={value} name={name} /> : undefined
  const draws =
    row.bodySha256 === null ? undefined : (
      <a className="figure door" href={door(run, bodyFilter(row.bodySha256))}>
        {plural(row.draws, 'draw')}
      </a>
    )
  const first = (
    <a className="figure door" href={href({ view: 'rollout', rollout: row.firstRollout, filter })}>
      open
    </a>
  )
  return [
    ['program', hash(row.bodySha256, 'body sha256')],
    ['evidence', hash(detail?.row.evidenceSha256, 'evidence sha256')],
    ['audit suite', audit?.suite ? `${audit.suite.name} ${audit.suite.version}` : undefined],
    ['audit evidence', hash(audit?.evidenceSha256, 'audit evidence sha256')],
    ['audited in', audit ? formatDuration(audit.testMs) : undefined],
    ['drawn', draws],
    ['first rollout', first],
  ]
}

type WitnessProps = { mechanism: Mechanism | null; lines: ReturnType<typeof testLines> }

function WitnessOf({ mechanism, lines }: WitnessProps) {
  const witness = mechanism?.witness ?? null
  // The mechanism's smallest case, with what this very body answered to it; another case only where the mechanism has none.
  const own = witness ? lines.find((line) => line.name === witness.case) : smallestFailure(lines)
  if (!witness && !own) return null
  return (
    <Panel
      title={mechanism === null ? 'Smallest failing case' : 'Smallest witness'}
      note={noteOf(witness) ?? own?.name}
    >
      <Witness
        input={witness?.input ?? own?.input ?? null}
        expected={witness?.expected ?? own?.expected ?? null}
        observed={own?.observed ?? witness?.observed ?? null}
      />
      {mechanism === null || mechanism.like.length === 0 ? null : (
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
