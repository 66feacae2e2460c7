import { CircleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import type { ErrorInfo } from '#shared/base/errors.ts'
import { formatDuration } from '../../app/format.ts'
import { Button } from './button.tsx'
import './ui.css'

/** Nothing to show yet: says why and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="state">
      <h2>{title}</h2>
      {children}
    </div>
  )
}

type FailureProps = { error: ErrorInfo; meaning?: string; onRetry?: (() => void) | undefined }

/** What happened, what it means for the run, what to do. */
export function Failure({ error, meaning, onRetry }: FailureProps) {
  return (
    <div className="state state-failure" role="alert">
      <CircleAlert size={18} aria-hidden />
      <h2>{error.message}</h2>
      {meaning === undefined ? null : <p>{meaning}</p>}
      <p className="dim">{error.hint}</p>
      <p className="dim mono">{error.code}</p>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  )
}

/** Waiting, with what for; after two seconds also for how long, so that a wait that hangs is seen to hang. */
export function Loading({ what }: { what: string }) {
  const [since] = useState(() => Date.now())
  const [ageMs, setAgeMs] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setAgeMs(Date.now() - since), 1000)
    return () => clearInterval(timer)
  }, [since])
  return (
    <div className="state" role="status">
      <p className="dim">
        Loading {what}
        {ageMs < 2000 ? ' …' : `, for ${formatDuration(ageMs)}`}
      </p>
    </div>
  )
}
