import { useState } from 'react'
import { plural } from '../../app/format.ts'
import { href } from '../../app/router.ts'
import { Button, ButtonLink } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/dialog.tsx'
import type { Teardown } from './use-teardown.ts'

type HeadlineProps = { teardown: Teardown; alive: boolean; ready: boolean; run: string; onAsk: () => void }

/** One sentence on where things stand, and the one thing to do next. */
export function Headline({ teardown, alive, ready, run, onAsk }: HeadlineProps) {
  const { rows, report, running, chosen, error } = teardown
  if (rows === null) return null
  if (running) {
    const done = rows.filter((row) => row.state === 'released').length
    return (
      <div className="teardown-head" role="status">
        <p>
          Giving back: {done} of {plural(chosen.size, 'thing')}.
        </p>
        <progress max={chosen.size} value={done} aria-label="Given back" />
      </div>
    )
  }
  if (error !== null) {
    return (
      <div className="teardown-head" role="alert">
        <p className="bad">
          {error.message} <span className="dim">{error.hint}</span>
        </p>
        <Button onClick={teardown.again}>Look again</Button>
      </div>
    )
  }
  if (report !== null) {
    return <Outcome report={report} onAgain={teardown.again} onDiscard={teardown.discard} />
  }
  if (rows.length === 0) {
    return (
      <div className="teardown-head">
        <p>
          <b>Nothing is held.</b>{' '}
          <span className="dim">All that this run ever took has been given back.</span>
        </p>
        <ButtonLink href={href({ view: 'rollouts', run, filter: '' })}>Its rollouts</ButtonLink>
      </div>
    )
  }
  return (
    <div className="teardown-head">
      <p>
        This run holds {plural(rows.length, 'thing')}.{' '}
        <span className="dim">
          {alive
            ? 'It is still training: giving back its processes ends it where it stands.'
            : 'Nothing is done before you confirm.'}
        </span>
      </p>
      <Button look="danger" disabled={!ready} onClick={onAsk}>
        Give back {plural(chosen.size, 'thing')} …
      </Button>
    </div>
  )
}

type OutcomeProps = {
  report: NonNullable<Teardown['report']>
  onAgain: () => void
  onDiscard: (lease: string) => void
}

function Outcome({ report, onAgain, onDiscard }: OutcomeProps) {
  const [asked, setAsked] = useState<string | null>(null)
  const stuck = report.left.filter((row) => row.kind === 'folder')
  if (report.left.length === 0) {
    return (
      <div className="teardown-head" role="status">
        <p>
          <b className="good">● Nothing is left.</b> {plural(report.released.length, 'thing')} given back,
          each looked for afterwards and not found.
        </p>
        <ButtonLink href={href({ view: 'runs' })}>All runs</ButtonLink>
      </div>
    )
  }
  return (
    <div className="teardown-head" role="alert">
      <p>
        <b className="bad">✕ {plural(report.left.length, 'thing')} left.</b>{' '}
        {plural(report.released.length, 'thing')} given back. The ledger remembers what is left; it can be
        tried again at any time.
      </p>
      {stuck.map((row) => (
        <Button key={row.lease} look="danger" onClick={() => setAsked(row.lease)}>
          Remove {row.label} nonetheless …
        </Button>
      ))}
      <Button onClick={onAgain}>Look again</Button>
      <ConfirmDialog
        open={asked !== null}
        title="Remove the folder with what is only in it?"
        action="Remove the folder"
        danger
        onClose={() => setAsked(null)}
        onConfirm={() => asked !== null && onDiscard(asked)}
      >
        <p>
          It was left because something in it could not be fetched or something still uses it. Evidence that
          is only there is lost for ever.
        </p>
      </ConfirmDialog>
    </div>
  )
}
