import type { BoxTest } from '#shared/domain/box.ts'
import { formatDuration } from '../../app/format.ts'

const signs = { passed: '✓', warned: '!', failed: '✗' } as const

/** Every step of the last test; the failing one is last, with what to do. */
export function TestSteps({ test }: { test: BoxTest }) {
  return (
    <ol className="test-steps" aria-label="Last test">
      {test.steps.map(({ step, state, detail, remedy, ms }) => (
        <li key={step} className={`step-${state}`}>
          <span role="img" aria-label={state}>
            {signs[state]}
          </span>
          <span>
            {step}
            {detail === '' ? null : <span className="dim">: {detail}</span>}
            {remedy !== null && state !== 'passed' ? <small>{remedy}</small> : null}
          </span>
          <span className="dim num">{ms > 0 ? formatDuration(ms) : ''}</span>
        </li>
      ))}
    </ol>
  )
}
