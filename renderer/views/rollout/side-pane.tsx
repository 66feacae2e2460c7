import type { ReactNode } from 'react'
import type { RolloutDetail } from '#shared/ipc/contract.ts'
import { formatDuration, formatNumber, formatSigned, plural } from '../../app/format.ts'
import { href } from '../../app/router.ts'
import { Copyable } from '../../components/code/copyable.tsx'
import { Facts } from '../../components/rollout/facts.tsx'
import { explainExtraction } from '../../components/rollout/no-body.tsx'
import { rolloutName } from '../../components/rollout/rollout-name.ts'
import { Reward } from '../../components/rollout/scores.tsx'
import { smallestFailure, type TestLine } from '../../components/rollout/test-lines.ts'
import { Panel } from '../../components/ui/panel.tsx'
import { Witness } from '../../components/witness/witness.tsx'
import type { ShownTest } from './rollout-panes.tsx'

type Props = { detail: RolloutDetail; training: TestLine[]; audit: TestLine[]; chosen: ShownTest | null }

export function SidePane({ detail, training, audit, chosen }: Props) {
  return (
    <div className="rollout-side">
      <WitnessPanel training={training} audit={audit} chosen={chosen} />
      <GradePanel detail={detail} />
      <NamesPanel detail={detail} />
      <SameBody detail={detail} />
    </div>
  )
}

function WitnessPanel({ training, audit, chosen }: Omit<Props, 'detail'>) {
  const inTraining = smallestFailure(training)
  const inAudit = smallestFailure(audit)
  const shown: ShownTest | null =
    chosen ??
    (inTraining
      ? { suite: 'training', line: inTraining }
      : inAudit
        ? { suite: 'audit', line: inAudit }
        : null)
  if (shown === null) return null
  const { suite, line } = shown
  return (
    <Panel
      title={chosen === null ? 'Smallest failing case' : 'Case'}
      note={`${suite === 'audit' ? 'audit · ' : ''}${line.name}`}
    >
      <Witness
        input={line.input}
        expected={line.expected ?? null}
        observed={line.observed ?? null}
        detail={line.detail}
      />
    </Panel>
  )
}

function GradePanel({ detail }: { detail: RolloutDetail }) {
  const { row, grade } = detail
  const components = Object.entries(detail.components)
  return (
    <Panel title="Grade" note={row.reason ?? undefined}>
      {row.reward === null ? (
        <p className="no-reward">
          {row.status === 'pending'
            ? 'Being graded: no reward yet.'
            : 'No reward. It enters no mean, and its group waits with the update until there is one.'}
        </p>
      ) : null}
      <Facts
        rows={[
          ['reward', <Reward key="r" value={row.reward} />],
          ...components.map(([name, value]): [string, string] => [`· ${name}`, formatSigned(value)]),
          ['total', components.length === 0 ? undefined : formatNumber(row.total)],
          ['advantage', row.phase === 'train' ? formatSigned(row.advantage) : undefined],
          [
            'build · test',
            grade ? `${formatDuration(grade.buildMs)} · ${formatDuration(grade.testMs)}` : undefined,
          ],
          ['queue', grade ? formatDuration(grade.queueMs) : undefined],
          ['cache', grade?.cache ?? undefined],
          ['isolation', grade?.isolation ?? undefined],
          ['extraction', detail.extraction === null ? undefined : explainExtraction(detail.extraction)],
          [
            'tokens',
            row.tokens === null ? undefined : `${row.tokens}${row.truncated ? ', cut at the limit' : ''}`,
          ],
        ]}
      />
    </Panel>
  )
}

function NamesPanel({ detail }: { detail: RolloutDetail }) {
  const { row, grade, evidence } = detail
  const hash = (name: string, value: string | null | undefined): [string, ReactNode] => {
    const shown = value ? <Copyable value={value} name={name} /> : undefined
    return [name, shown]
  }
  return (
    <Panel title="Names" note="click to copy">
      <Facts
        rows={[
          hash('rollout', row.rollout),
          hash('body', row.bodySha256),
          hash('completion', detail.completionSha256),
          hash('evidence', row.evidenceSha256),
          ['suite', grade?.suite ? `${grade.suite.name} ${grade.suite.version}` : undefined],
          hash('suite sha256', grade?.suite?.sha256),
          hash('commit', grade?.commit),
          ['verifier', grade?.verifier ?? undefined],
          hash('execution', evidence?.execution?.id),
          ...detail.files.map(({ label, path }): [string, ReactNode] => hash(label, path)),
        ]}
      />
    </Panel>
  )
}

const sameBodyShown = 12

function SameBody({ detail }: { detail: RolloutDetail }) {
  const { sameBody, row } = detail
  if (sameBody.length === 0 || row.bodySha256 === null) return null
  const run = row.rollout.split('/')[0] ?? null
  const filter = `body:${row.bodySha256.slice(0, 16)}`
  return (
    <Panel title="Same body elsewhere" note={plural(sameBody.length, 'rollout')}>
      <ul className="same-body">
        {sameBody.slice(0, sameBodyShown).map(({ rollout }) => (
          <li key={rollout}>
            <a href={href({ view: 'rollout', rollout, filter })}>{rolloutName(rollout)}</a>
          </li>
        ))}
        <li>
          <a href={href({ view: 'rollouts', run, filter })}>all of them</a>
        </li>
      </ul>
    </Panel>
  )
}
