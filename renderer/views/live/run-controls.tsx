import { CircleStop, OctagonX } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'
import { toAppError } from '#shared/base/errors.ts'
import { ask } from '../../app/core.ts'
import { href } from '../../app/router.ts'
import { Button, ButtonLink } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/dialog.tsx'
import { useLiveData } from '../../stores/live.ts'

type Mode = 'after_step' | 'abort'

/** Ends a run: after the step in hand, or at once; each asks first. A finished run offers what comes next instead. */
export function RunControls({ run }: { run: string }) {
  const { head } = useLiveData()
  const [asking, setAsking] = useState<Mode | null>(null)
  const [requested, setRequested] = useState<Mode | null>(null)
  if (!head || head.phase === 'pending') return null
  if (head.phase === 'finished')
    return (
      <ButtonLink look="primary" href={href({ view: 'teardown', run })}>
        Tear down
      </ButtonLink>
    )
  const stop = (mode: Mode) => {
    setRequested(mode)
    ask('runs.stop', { run, mode }).then(
      () => toast(mode === 'abort' ? 'The run is being aborted.' : 'The run stops after the step in hand.'),
      (thrown: unknown) => {
        setRequested(null)
        const error = toAppError(thrown)
        toast.error(error.message, { description: error.hint })
      },
    )
  }
  return (
    <span className="run-controls">
      <Button
        onClick={() => setAsking('after_step')}
        disabled={requested !== null}
        title="Finish the step in hand, keep a checkpoint, then stop"
      >
        <CircleStop size={13} aria-hidden />
        <span className="wide-only">
          {requested === 'after_step' ? 'Stopping after step' : 'Stop after step'}
        </span>
      </Button>
      <Button
        look="danger"
        onClick={() => setAsking('abort')}
        disabled={requested === 'abort'}
        title="Stop now; the step in hand is lost"
      >
        <OctagonX size={13} aria-hidden />
        <span className="wide-only">{requested === 'abort' ? 'Aborting' : 'Abort'}</span>
      </Button>
      <ConfirmDialog
        open={asking === 'after_step'}
        title="Stop after this step"
        action="Stop after step"
        onConfirm={() => stop('after_step')}
        onClose={() => setAsking(null)}
      >
        <p>
          Step {head.step ?? '–'} is finished and kept, then the run stops
          {head.planned === null ? '' : `, short of its ${head.planned} steps`}. Its verifier and files stay
          until they are torn down.
        </p>
      </ConfirmDialog>
      <ConfirmDialog
        open={asking === 'abort'}
        title="Abort the run"
        action="Abort now"
        danger
        onConfirm={() => stop('abort')}
        onClose={() => setAsking(null)}
      >
        <p>
          The trainer ends at once. Step {head.step ?? '–'} gives no update; its rollouts and grades so far
          stay in the record. The final evaluation does not run.
        </p>
      </ConfirmDialog>
    </span>
  )
}
