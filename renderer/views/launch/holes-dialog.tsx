import { useState } from 'react'
import { toast } from 'sonner'
import { toAppError } from '#shared/base/errors.ts'
import type { LaunchDraft } from '#shared/ipc/contract.ts'
import type { MutantReport, MutantRow } from '#shared/mutation/report.ts'
import { ask } from '../../app/core.ts'
import { formatCount, formatShare, plural } from '../../app/format.ts'
import { CodeView } from '../../components/code/code-view.tsx'
import { DiffView } from '../../components/diff/diff-view.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Empty, Failure, Loading } from '../../components/ui/states.tsx'
import { useRequest } from '../../stores/use-request.ts'
import './holes.css'

type Subject = Pick<LaunchDraft, 'suite' | 'audit' | 'source'>
type Props = Subject & { open: boolean; onClose: () => void }

/** Faults planted in the reference body that the suite accepts: what a policy could find before anybody knows of it. */
export function HolesDialog({ open, onClose, ...subject }: Props) {
  return (
    <Dialog open={open} onClose={onClose} title="Holes of the suite" width={980}>
      <Holes {...subject} />
    </Dialog>
  )
}

function Holes({ suite, audit, source }: Subject) {
  const { value, error, reload } = useRequest('mutants.measure', { suite, audit, source })
  if (error !== null) return <Failure error={error} onRetry={reload} />
  if (value === null) return <Loading what="mutants: each is graded by both suites" />
  return <Survivors report={value} />
}

function Survivors({ report }: { report: MutantReport }) {
  const [marks, setMarks] = useState<Record<string, string | null>>({})
  const rows = report.survivors.map((row) => ({
    ...row,
    equivalent: marks[keyOf(row)] ?? markOf(marks, row),
  }))
  const [chosen, setChosen] = useState<string | null>(null)
  const row = rows.find((one) => keyOf(one) === chosen) ?? rows[0]
  const { total } = report
  const open = rows.filter((one) => one.equivalent === null)
  const scored = total.killed + open.filter(({ fate }) => fate !== 'unknown').length
  return (
    <div className="holes">
      <p>
        <b>{formatShare(total.killed, scored)}</b> of {plural(scored, 'mutant')} noticed by{' '}
        {report.suite.name};{' '}
        {plural(open.filter(({ fate }) => fate === 'false_acceptance').length, 'would-be false acceptance')}
        <span className="dim">
          , {formatCount(rows.length - open.length)} marked equivalent, {formatCount(total.unknown)} unknown
          {total.graded < total.possible ? `; a sample of ${formatCount(total.possible)}` : ''}
        </span>
      </p>
      {row === undefined ? (
        <Empty title="No planted fault is accepted" />
      ) : (
        <div className="holes-panes">
          <ul className="holes-list">
            {rows.map((one) => (
              <li key={keyOf(one)}>
                <button
                  type="button"
                  aria-current={one === row || undefined}
                  onClick={() => setChosen(keyOf(one))}
                >
                  <b className={one.fate}>{one.equivalent === null ? words[one.fate] : 'equivalent'}</b>
                  <small className="dim">
                    {one.task}, line {one.line}
                  </small>
                </button>
              </li>
            ))}
          </ul>
          <div className="holes-diff">
            <Compared row={row} reference={report.references[row.task] ?? null} />
            <Button onClick={() => void mark(row, setMarks)}>
              {row.equivalent === null ? 'Equivalent to the reference' : 'Not equivalent after all'}
            </Button>
          </div>
        </div>
      )}
    </div>
  )
}

const words: Record<MutantRow['fate'], string> = {
  false_acceptance: 'false acceptance',
  unseen: 'unseen or equivalent',
  unknown: 'not known',
  false_rejection: 'false rejection',
  killed: 'noticed',
}

const keyOf = (row: MutantRow) => `${row.task} ${row.id}`
const markOf = (marks: Record<string, string | null>, row: MutantRow) =>
  keyOf(row) in marks ? null : row.equivalent

function Compared({ row, reference }: { row: MutantRow; reference: string | null }) {
  const language = /^\s*\{/.test(row.body) ? 'rust' : 'python'
  if (reference === null) return <CodeView text={row.body} language={language} label="mutant" />
  return (
    <DiffView
      left={{ text: row.body, label: 'mutant' }}
      right={{ text: reference, label: 'reference' }}
      language={language}
      formattingAside={false}
    />
  )
}

async function mark(
  row: MutantRow,
  show: (change: (marks: Record<string, string | null>) => Record<string, string | null>) => void,
): Promise<void> {
  const equivalent = row.equivalent === null ? 'marked by the operator' : null
  try {
    await ask('mutants.mark', { referenceSha256: row.referenceSha256, mutant: row.id, equivalent })
    show((marks) => ({ ...marks, [keyOf(row)]: equivalent }))
  } catch (thrown) {
    const { message, hint } = toAppError(thrown)
    toast.error(message, { description: hint })
  }
}
