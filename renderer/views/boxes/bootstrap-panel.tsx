import { useState } from 'react'
import { type ErrorInfo, toAppError } from '#shared/base/errors.ts'
import type { BootstrapStep, BootstrapView } from '#shared/ipc/bootstrap.ts'
import { ask } from '../../app/core.ts'
import { formatDuration } from '../../app/format.ts'
import { Button } from '../../components/ui/button.tsx'
import { Field } from '../../components/ui/field.tsx'
import { Pill, type Tone } from '../../components/ui/pill.tsx'
import { Failure, Loading } from '../../components/ui/states.tsx'
import { useNow } from '../../components/ui/use-now.ts'
import { useRequest } from '../../stores/use-request.ts'
import './bootstrap.css'

const lookEveryMs = 3000

const labels: Record<string, string> = {
  python: 'Python',
  disk: 'Disk',
  venv: 'Virtual environment',
  packages: 'Locked packages',
  model: 'Base model',
  gpu: 'GPU',
  'self-check': 'TRL as it was read',
}

/** What a box has of what the pipeline's trainer needs, step by step; a wait for a GPU or a quota is a state with an age. */
export function BootstrapPanel({ box }: { box: string }) {
  const now = useNow()
  const [going, setGoing] = useState(false)
  const asked = useRequest('bootstrap.get', { box }, going ? Math.floor(now / lookEveryMs) : 0)
  const [fault, setFault] = useState<ErrorInfo | null>(null)
  const view = asked.value
  if (view !== null && view.going !== going) setGoing(view.going)
  const act = async (work: () => Promise<BootstrapView>) => {
    setFault(null)
    try {
      setGoing((await work()).going)
    } catch (thrown) {
      setFault(toAppError(thrown).info)
    }
    asked.reload()
  }
  if (view === null)
    return asked.error ? (
      <Failure error={asked.error} onRetry={asked.reload} />
    ) : (
      <Loading what="what the box has for the trainer" />
    )
  return (
    <section className="bootstrap" aria-label="Trainer’s environment">
      <ol>
        {view.steps.map((step) => (
          <StepRow key={step.step} step={step} going={view.going} now={now} />
        ))}
      </ol>
      {(fault?.message ?? view.fault) ? (
        <p className="bootstrap-fault" role="alert">
          {fault?.message ?? view.fault} <span className="dim">{fault?.hint}</span>
        </p>
      ) : null}
      {view.ready ? (
        <p className="dim">
          A run names this interpreter: <span className="mono">{view.python}</span>
        </p>
      ) : null}
      <BootstrapForm view={view} act={act} />
    </section>
  )
}

type FormProps = { view: BootstrapView; act: (work: () => Promise<BootstrapView>) => Promise<void> }

function BootstrapForm({ view, act }: FormProps) {
  const [wheels, setWheels] = useState('')
  const [model, setModel] = useState('')
  const { box, going, ready, steps } = view
  const begun = steps.some(({ state }) => state !== 'todo')
  if (going)
    return (
      <Button look="quiet" onClick={() => void act(() => ask('bootstrap.stop', { box }))}>
        Stop
      </Button>
    )
  const text = (value: string) => (value.trim() === '' ? null : value.trim())
  return (
    <div className="bootstrap-form">
      <Field
        label="Wheels"
        about="Folder of wheels on the box, to install offline; empty: its pip’s own index."
      >
        {(ids) => (
          <input {...ids} spellCheck={false} value={wheels} onChange={(e) => setWheels(e.target.value)} />
        )}
      </Field>
      <Field label="Base model" about="Folder on the box, looked through; never downloaded.">
        {(ids) => (
          <input {...ids} spellCheck={false} value={model} onChange={(e) => setModel(e.target.value)} />
        )}
      </Field>
      <Button
        onClick={() =>
          void act(() => ask('bootstrap.start', { box, wheels: text(wheels), model: text(model) }))
        }
      >
        {ready ? 'Check again' : begun ? 'Go on' : 'Make ready'}
      </Button>
    </div>
  )
}

function StepRow({ step, going, now }: { step: BootstrapStep; going: boolean; now: number }) {
  const { word, tone } = judged(step, going)
  const age = step.since === null ? null : formatDuration(Math.max(0, now - Date.parse(step.since)))
  const aged = step.state === 'waiting' || (step.state === 'running' && going)
  return (
    <li>
      <span>{labels[step.step] ?? step.step}</span>
      <Pill tone={tone}>{aged && age !== null ? `${word} for ${age}` : word}</Pill>
      <span className="dim">{step.detail}</span>
    </li>
  )
}

function judged({ state }: BootstrapStep, going: boolean): { word: string; tone: Tone } {
  switch (state) {
    case 'todo':
      return { word: 'to do', tone: 'plain' }
    case 'running':
      return going ? { word: 'at work', tone: 'accent' } : { word: 'cut short', tone: 'warn' }
    case 'waiting':
      return { word: 'waiting', tone: 'warn' }
    case 'failed':
      return { word: 'failed', tone: 'bad' }
    case 'done':
      return { word: 'done', tone: 'good' }
  }
}
