import { useEffect, useState } from 'react'
import { toAppError } from '#shared/base/errors.ts'
import { isEmptyLogFilter, matchesLogFilter, parseLogFilter } from '#shared/terminal/log-filter.ts'
import { plural } from '../../app/format.ts'

type Keep = (line: string) => boolean

type Props = {
  /** Whether the log is of pods, whose lines name their container. */
  pods: boolean
  hidden: number | null
  onFilter: (keep: Keep | null) => void
}

/** Which lines are shown. A filter that cannot be read changes nothing until it can. */
export function LogFilterLine({ pods, hidden, onFilter }: Props) {
  const [text, setText] = useState('')
  const { fault } = read(text)
  useEffect(() => {
    const { keep, fault } = read(text)
    if (fault === null) onFilter(keep)
  }, [text, onFilter])
  return (
    <>
      <input
        className="log-filter"
        value={text}
        placeholder={pods ? 'only /re/ !/re/ container:x' : 'only /re/ !/re/'}
        aria-label="Filter the log"
        aria-invalid={fault !== null}
        title="Lines that match; !/re/ leaves lines out; an i behind the last slash takes any case"
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      <span className={fault === null ? 'dim' : 'log-fault'} role="status">
        {fault ?? (hidden === null || hidden === 0 ? '' : `${plural(hidden, 'line')} left out`)}
      </span>
    </>
  )
}

function read(text: string): { keep: Keep | null; fault: string | null } {
  try {
    const filter = parseLogFilter(text)
    return { keep: isEmptyLogFilter(filter) ? null : (line) => matchesLogFilter(filter, line), fault: null }
  } catch (thrown) {
    return { keep: null, fault: toAppError(thrown).message }
  }
}
