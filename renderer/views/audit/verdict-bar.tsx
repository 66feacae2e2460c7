import { useState } from 'react'
import type { Verdict } from '#shared/ipc/contract.ts'
import { useKeys } from '../../app/keys.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Kbd } from '../../components/ui/kbd.tsx'
import { Panel } from '../../components/ui/panel.tsx'
import { type Judged, verdicts } from './review.ts'

type Props = {
  judged: Judged
  /** Without a body there is nothing that could be said of it. */
  judgeable: boolean
  onJudge: (after: Judged) => void
  /** Of all open programs of the group. */
  onJudgeAll: (verdict: Verdict) => void
  onUndo: () => void
  undoable: boolean
}

/** What the operator says of the program. The same key again takes it back to open. */
export function VerdictBar({ judged, judgeable, onJudge, onJudgeAll, onUndo, undoable }: Props) {
  const [noting, setNoting] = useState(false)
  const say = (verdict: Verdict) =>
    onJudge({ ...judged, verdict: verdict === judged.verdict ? null : verdict })
  useKeys('Verdict', [
    ...verdicts.map(({ key, label, verdict }) => ({ keys: key, label, run: () => say(verdict) })),
    ...verdicts.map(({ key, label, verdict }) => ({
      keys: `Shift+Digit${key}`,
      show: `shift ${key}`,
      label: `${label}: all open of the group`,
      run: () => onJudgeAll(verdict),
    })),
    { keys: 'm', label: 'note', run: () => setNoting(judgeable) },
    { keys: 'u', label: 'undo', footer: true, run: onUndo },
  ])
  return (
    <Panel title="Verdict" note="with shift: all open of the group" className="audit-verdict">
      <div className="verdict-keys">
        {verdicts.map(({ verdict, key, label, meaning }) => (
          <button
            key={verdict}
            type="button"
            className={`verdict-${verdict}`}
            aria-pressed={judged.verdict === verdict}
            title={meaning}
            disabled={!judgeable}
            onClick={() => say(verdict)}
          >
            <b>{key}</b> {label}
          </button>
        ))}
        <button
          type="button"
          aria-pressed={judged.note !== ''}
          disabled={!judgeable}
          onClick={() => setNoting(true)}
        >
          <b>m</b> note
        </button>
        <button type="button" disabled={!undoable} onClick={onUndo}>
          <b>u</b> undo
        </button>
      </div>
      {judged.note === '' ? null : <p className="verdict-note">{judged.note}</p>}
      <NoteDialog
        open={noting}
        note={judged.note}
        onClose={() => setNoting(false)}
        onSave={(note) => {
          setNoting(false)
          if (note !== judged.note) onJudge({ ...judged, note })
        }}
      />
    </Panel>
  )
}

type NoteProps = { open: boolean; note: string; onClose: () => void; onSave: (note: string) => void }

const longestNote = 4000

function NoteDialog({ open, note, onClose, onSave }: NoteProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Note">
      <form
        className="note-form"
        onSubmit={(event) => {
          event.preventDefault()
          onSave(String(new FormData(event.currentTarget).get('note') ?? '').trim())
        }}
      >
        <textarea
          name="note"
          defaultValue={note}
          maxLength={longestNote}
          rows={5}
          data-autofocus
          aria-label="Note"
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey))
              event.currentTarget.form?.requestSubmit()
          }}
        />
        <div className="dialog-actions">
          <Kbd caps={['Ctrl', '↵']} />
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary">
            Keep the note
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
