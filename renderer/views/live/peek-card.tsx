import { useEffect } from 'react'
import { isGraded, type TestOutcome } from '#shared/domain/grade.ts'
import type { CaseFacts, RolloutDetail } from '#shared/ipc/contract.ts'
import { formatDuration, formatReward, formatSigned, unknown } from '../../app/format.ts'
import { href } from '../../app/router.ts'
import { Mark } from '../../components/marks/mark.tsx'
import { statusInfo } from '../../components/marks/status-info.ts'
import { useLiveData } from '../../stores/live.ts'
import { focusedRollout, useLiveFocus } from '../../stores/live-focus.ts'
import { peekAt, peekKey, usePeek } from '../../stores/peek.ts'
import { dedent, peekDiff } from './peek-diff.ts'

/** The rollout under the pointer or chosen by keys; before either, the latest false acceptance, as what wants a look most. */
export function PeekCard() {
  const data = useLiveData()
  const focused = useLiveFocus(focusedRollout)
  const id = focused ?? data.falseAcceptances.at(-1)?.id ?? null
  const key = id === null ? '' : peekKey(data, id)
  useEffect(() => peekAt(id, key), [id, key])
  const { detail, error } = usePeek()
  if (id === null)
    return (
      <section className="card" aria-label="Rollout">
        <p className="dim">Point at a mark, or press j and k, to see a rollout here.</p>
      </section>
    )
  return (
    <section className="card peek" aria-label="Rollout under the cursor">
      <p className="peek-id mono">
        <a href={href({ view: 'rollout', rollout: id, filter: '' })}>{id.split('/').join(' / ')}</a>
      </p>
      {error ? <p className="dim">{error.message}</p> : detail && <PeekBody detail={detail} />}
    </section>
  )
}

function PeekBody({ detail }: { detail: RolloutDetail }) {
  const { row } = detail
  const counts = row.tests === null ? '' : ` ${row.passed ?? unknown}/${row.tests}`
  return (
    <>
      <p className="peek-verdict">
        <Mark status={row.status} size={12} />
        <b>
          {statusInfo(row.status).label}
          {counts}
        </b>
        <AuditVerdict detail={detail} />
      </p>
      <PeekCode detail={detail} />
      <dl className="peek-facts">
        <Witness detail={detail} />
        <dt>reward</dt>
        <dd>{formatReward(row.reward)}</dd>
        <dt>advantage</dt>
        <dd>{formatSigned(row.advantage)}</dd>
        <dt>tokens</dt>
        <dd>
          {row.tokens ?? unknown}
          {row.truncated ? ', truncated' : ''}
        </dd>
        <dt>graded in</dt>
        <dd>
          {formatDuration(row.ms)}
          {detail.grade?.cache ? ` · ${detail.grade.cache}` : ''}
        </dd>
      </dl>
    </>
  )
}

function AuditVerdict({ detail: { row } }: { detail: RolloutDetail }) {
  if (!row.audit) return null
  const { passed, total, status } = row.audit
  const rejected = row.status === 'passed' && status !== 'passed'
  const figures = total === null ? statusInfo(status).label : `${passed ?? unknown}/${total}`
  return <span className={rejected ? 'peek-rejected' : 'dim'}>audit {figures}</span>
}

function PeekCode({ detail }: { detail: RolloutDetail }) {
  if (detail.body === null) {
    const words = detail.completion?.trim() ?? 'The completion is not stored yet.'
    return <p className="peek-words">{words.length > 260 ? `${words.slice(0, 260)} …` : words}</p>
  }
  return (
    <pre className="peek-code">
      {dedent(peekDiff(detail.body, detail.reference)).map(({ sign, pieces }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and the whole block is replaced at once
        <span key={index} className={sign === '-' ? 'peek-old' : sign === '+' ? 'peek-new' : undefined}>
          {sign}{' '}
          {pieces.map((piece, at) =>
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            piece.lit ? <mark key={at}>{piece.text}</mark> : piece.text,
          )}
          {'\n'}
        </span>
      ))}
    </pre>
  )
}

/** The failing test with the shortest input, by the audit, or else by the run's verifier. */
function Witness({ detail }: { detail: RolloutDetail }) {
  const audited = shortestFailure(detail.auditGrade, detail.cases.audit)
  const test = audited ?? shortestFailure(detail.grade, detail.cases.training)
  if (!test) {
    const { reason, status } = detail.row
    if (reason === null || status === 'pending') return null
    return (
      <>
        <dt>{isGraded(status) ? 'reason' : 'why no grade'}</dt>
        <dd>{reason.replaceAll('_', ' ')}</dd>
      </>
    )
  }
  const input = (audited ? detail.cases.audit : detail.cases.training)[test.name]?.input
  return (
    <>
      <dt>{audited ? 'audit witness' : 'failing test'}</dt>
      <dd className="mono" title={input ?? test.name}>
        {input === undefined ? test.name : trimBrackets(input)}
      </dd>
      {test.expected === undefined ? null : (
        <>
          <dt>expected · got</dt>
          <dd className="mono">
            {test.expected} · <b className="peek-got">{test.observed ?? test.outcome}</b>
          </dd>
        </>
      )}
    </>
  )
}

function shortestFailure(grade: RolloutDetail['grade'], cases: CaseFacts): TestOutcome | null {
  let shortest: TestOutcome | null = null
  const size = (test: TestOutcome) => cases[test.name]?.input.length ?? Number.POSITIVE_INFINITY
  for (const test of grade?.tests ?? []) {
    if (test.outcome === 'passed') continue
    if (!shortest || size(test) < size(shortest)) shortest = test
  }
  return shortest
}

/** An argument list of one argument is read as that argument. */
const trimBrackets = (input: string) => (/^\[[^,]*\[.*\]\]$/.test(input) ? input.slice(1, -1) : input)
