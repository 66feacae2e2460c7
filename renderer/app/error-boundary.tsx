import { Component, type ReactNode } from 'react'
import { type ErrorInfo, toAppError } from '#shared/base/errors.ts'
import { Failure } from '../components/ui/states.tsx'

type State = { error: ErrorInfo | null }

/** Keeps a fault of one view inside it: the rail, the footer and the run stay. */
export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { error: null }

  static getDerivedStateFromError(thrown: unknown): State {
    return { error: toAppError(thrown).info }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (!error) return this.props.children
    return (
      <Failure
        error={error}
        meaning="The run is not affected."
        onRetry={() => this.setState({ error: null })}
      />
    )
  }
}
