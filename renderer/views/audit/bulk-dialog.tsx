import type { TriageRow, Verdict } from '#shared/ipc/contract.ts'
import { plural } from '../../app/format.ts'
import { useKeys } from '../../app/keys.ts'
import { Dialog } from '../../components/ui/dialog.tsx'
import { verdicts } from './review.ts'

type Props = {
  open: boolean
  onClose: () => void
  /** The programs listed of which nothing was said yet. */
  rows: readonly TriageRow[]
  onJudge: (verdict: Verdict) => void
}

/** The same said of everything listed that is still open: the filter above the list says what that is. */
export function BulkDialog({ open, onClose, rows, onJudge }: Props) {
  return (
    <Dialog open={open} onClose={onClose} title={`All ${plural(rows.length, 'open program')} listed`}>
      <Choices onClose={onClose} count={rows.length} onJudge={onJudge} />
    </Dialog>
  )
}

type ChoicesProps = { onClose: () => void; count: number; onJudge: (verdict: Verdict) => void }

function Choices({ onClose, count, onJudge }: ChoicesProps) {
  const say = (verdict: Verdict) => {
    onClose()
    onJudge(verdict)
  }
  useKeys(
    'All listed',
    verdicts.map(({ key, label, verdict }) => ({
      keys: key,
      label: `${label}: all listed`,
      inFields: true,
      run: () => count > 0 && say(verdict),
    })),
  )
  return (
    <>
      <p className="dim">One undo takes all of it back.</p>
      <div className="verdict-keys">
        {verdicts.map(({ verdict, key, label, meaning }, index) => (
          <button
            key={verdict}
            type="button"
            className={`verdict-${verdict}`}
            title={meaning}
            disabled={count === 0}
            onClick={() => say(verdict)}
            {...(index === 0 ? { 'data-autofocus': true } : {})}
          >
            <b>{key}</b> {label}
          </button>
        ))}
      </div>
    </>
  )
}
