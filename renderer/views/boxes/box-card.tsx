import { SquareTerminal } from 'lucide-react'
import { useState } from 'react'
import type { LinkStateName } from '#shared/domain/box.ts'
import type { BoxView } from '#shared/ipc/contract.ts'
import { formatDuration } from '../../app/format.ts'
import { href } from '../../app/router.ts'
import { Button } from '../../components/ui/button.tsx'
import { Pill, type Tone } from '../../components/ui/pill.tsx'
import { useNow } from '../../components/ui/use-now.ts'
import { removeBox, testBox, useBoxes } from '../../stores/boxes.ts'
import { BootstrapPanel } from './bootstrap-panel.tsx'
import { GpuLine } from './gpu-line.tsx'
import { HostKeyQuestion, PassphraseQuestion } from './questions.tsx'
import { TestSteps } from './test-steps.tsx'

const tones: Record<LinkStateName, Tone> = {
  idle: 'plain',
  connecting: 'accent',
  ready: 'good',
  degraded: 'warn',
  lost: 'warn',
  refused: 'bad',
}

const words: Record<LinkStateName, string> = {
  idle: 'not connected',
  connecting: 'connecting',
  ready: 'ready',
  degraded: 'slow to answer',
  lost: 'lost, tried again',
  refused: 'needs you',
}

export function BoxCard({ box, onShell }: { box: BoxView; onShell: () => void }) {
  const [trainer, setTrainer] = useState(false)
  const test = useBoxes((state) => state.tests[box.id])
  const fault = useBoxes((state) => state.faults[box.id])
  const busy = test === 'running'
  return (
    <article className="box-card" aria-label={box.name}>
      <header>
        <h2>{box.name}</h2>
        {box.name === box.target ? null : <span className="mono dim">{box.target}</span>}
        <Pill tone={tones[box.state]}>
          {words[box.state]}
          <Age box={box} />
        </Pill>
        <Heard box={box} />
        <span className="box-actions">
          <Button onClick={() => void testBox(box.id)} disabled={busy}>
            {busy ? 'Testing' : 'Test'}
          </Button>
          <Button
            aria-expanded={trainer}
            onClick={() => setTrainer(!trainer)}
            disabled={box.state === 'refused' || box.state === 'lost'}
          >
            Trainer
          </Button>
          <Button onClick={onShell} disabled={box.state === 'refused'}>
            <SquareTerminal size={13} aria-hidden /> Shell
          </Button>
          <Button look="quiet" onClick={() => void removeBox(box.id)} disabled={box.runs.length > 0}>
            Remove
          </Button>
        </span>
      </header>
      {box.step !== null && <p className="dim">{box.step}</p>}
      {box.hostKey ? (
        <HostKeyQuestion box={box.id} question={box.hostKey} />
      ) : box.passphraseFor !== null ? (
        <PassphraseQuestion box={box.id} file={box.passphraseFor} fault={fault?.message ?? null} />
      ) : box.error ? (
        <p className="box-error" role="alert">
          {box.error.message} <span className="dim">{box.error.hint}</span>
        </p>
      ) : fault ? (
        <p className="box-error" role="alert">
          {fault.message} <span className="dim">{fault.hint}</span>
        </p>
      ) : null}
      {test !== undefined && test !== 'running' && <TestSteps test={test} />}
      <GpuLine gpu={box.gpu} />
      {trainer && <BootstrapPanel box={box.id} />}
      {box.runs.length > 0 && (
        <p className="box-runs">
          {box.runs.map((run) => (
            <a key={run} href={href({ view: 'live', run })}>
              {run}
            </a>
          ))}
        </p>
      )}
    </article>
  )
}

/** For how long a box that cannot be used has been waited for. */
function Age({ box }: { box: BoxView }) {
  const now = useNow()
  if (box.state !== 'lost' && box.state !== 'degraded') return null
  return ` for ${formatDuration(Math.max(0, now - Date.parse(box.since)))}`
}

/** How long ago anything was heard, and when it is tried again: a silent box is never shown as a failed one. */
function Heard({ box }: { box: BoxView }) {
  const now = useNow()
  if (box.state === 'lost' && box.nextTryAt !== null) {
    const waitMs = Math.max(0, Date.parse(box.nextTryAt) - now)
    return <span className="dim">next try in {formatDuration(waitMs)}; runs there go on by themselves</span>
  }
  if (box.lastHeardAt === null) return <span className="dim">never heard</span>
  return (
    <span className="dim">
      last heard {formatDuration(Math.max(0, now - Date.parse(box.lastHeardAt)))} ago
    </span>
  )
}
