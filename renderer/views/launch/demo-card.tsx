import { Play } from 'lucide-react'
import { go } from '../../app/router.ts'
import { Button } from '../../components/ui/button.tsx'
import { startDemo, useLaunch } from '../../stores/launch.ts'

/** One click from nothing to a run that shows what the console is for. */
export function DemoCard() {
  const busy = useLaunch((state) => state.busy !== 'no')
  return (
    <section className="demo-card" aria-label="Demo">
      <div>
        <h2>The booking study on its weak suite</h2>
        <p className="dim">
          A small policy learns to book rooms. Its suite misses bookings that touch and bookings that tie, and
          the policy finds that out. 24 updates, about a minute, on this machine alone.
        </p>
      </div>
      <Button look="primary" disabled={busy} onClick={runDemo}>
        <Play size={13} aria-hidden /> Run the demo
      </Button>
    </section>
  )
}

export function runDemo(): void {
  void startDemo().then((run) => {
    if (run !== null) go({ view: 'live', run })
    else if (window.location.hash !== '#/launch') go({ view: 'launch' })
  })
}
