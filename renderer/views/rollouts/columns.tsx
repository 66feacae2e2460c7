import type { RolloutRow } from '#shared/ipc/contract.ts'
import { formatCount, formatDuration, formatSigned, unknown } from '../../app/format.ts'
import type { RolloutSort } from '../../app/routes.ts'
import { StatusLabel } from '../../components/marks/mark.tsx'
import { rolloutName } from '../../components/rollout/rollout-name.ts'
import { AuditScore, Reward, Score } from '../../components/rollout/scores.tsx'
import type { Column } from '../../components/table/virtual-table.tsx'

export const columns: Column<RolloutRow, RolloutSort>[] = [
  { key: 'status', label: 'status', width: 126, cell: (row) => <StatusLabel status={row.status} /> },
  {
    key: 'rollout',
    label: 'rollout',
    width: 108,
    title: 'step/group/index in training; policy and draw in an evaluation',
    sort: 'order',
    cell: (row) => rolloutName(row.rollout),
  },
  { key: 'task', label: 'task', cell: (row) => <span className="dim">{row.task}</span> },
  {
    key: 'reason',
    label: 'reason',
    cell: (row) => <span className="dim mono">{row.reason ?? ''}</span>,
  },
  {
    key: 'reward',
    label: 'reward',
    width: 62,
    align: 'right',
    title: 'before shaping; null is no reward at all, never a zero',
    sort: 'reward',
    cell: (row) => <Reward value={row.reward} />,
  },
  {
    key: 'tests',
    label: 'tests',
    width: 72,
    align: 'right',
    title: 'passed of the training suite',
    cell: (row) => <Score passed={row.passed} total={row.tests} />,
  },
  {
    key: 'audit',
    label: 'audit',
    width: 88,
    align: 'right',
    title: 'passed of the audit suite, kept apart from training',
    sort: 'audit',
    cell: (row) => <AuditScore accepted={row.status === 'passed'} audit={row.audit} />,
  },
  {
    key: 'advantage',
    label: 'advantage',
    width: 82,
    align: 'right',
    cell: (row) => formatSigned(row.advantage),
  },
  {
    key: 'tokens',
    label: 'tokens',
    width: 66,
    align: 'right',
    cell: (row) =>
      row.tokens === null ? (
        unknown
      ) : (
        <span title={row.truncated ? 'cut at the limit' : undefined}>
          {formatCount(row.tokens)}
          {row.truncated ? <b className="cut"> ⌇</b> : null}
        </span>
      ),
  },
  {
    key: 'ms',
    label: 'graded in',
    width: 78,
    align: 'right',
    title: 'build and test time',
    sort: 'ms',
    direction: 'descending',
    cell: (row) => formatDuration(row.ms),
  },
  {
    key: 'body',
    label: 'body',
    width: 86,
    align: 'right',
    cell: (row) => <span className="mono dim">{row.bodySha256?.slice(0, 8) ?? unknown}</span>,
  },
]
