import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { AppError, type ErrorInfo, toAppError } from '#shared/base/errors.ts'
import type { LogFeedState } from '../../components/terminal/log-feed.ts'
import type { TerminalPane } from '../../components/terminal/terminal-pane.ts'
import { useSignals } from '../../stores/signals.ts'
import { useTheme } from '../../theme/theme.ts'
import { type OpenLog, openLog } from './open-log.ts'
import type { Stream } from './streams.ts'

type Keep = (line: string) => boolean

export type LogTerminal = {
  pane: TerminalPane | null
  log: LogFeedState | null
  following: boolean
  /** Off holds the screen: nothing more is read until it is on again. */
  follow(on: boolean): void
  /** Shows only the lines that are wanted; null shows all. */
  filter(keep: Keep | null): void
  matches: { count: number; index: number }
  /** Why there is no terminal at all. */
  failure: ErrorInfo | null
}

/** A terminal in `parent` that follows one log of a run. */
export function useLogTerminal(
  run: string,
  stream: Stream,
  parent: RefObject<HTMLDivElement | null>,
): LogTerminal {
  const [opened, setOpened] = useState<OpenLog | null>(null)
  const [log, setLog] = useState<LogFeedState | null>(null)
  const [following, setFollowing] = useState(true)
  const [matches, setMatches] = useState({ count: 0, index: -1 })
  const [failure, setFailure] = useState<ErrorInfo | null>(null)
  const size = useSignals((state) => state.logs[`${run}/${stream}`])
  const theme = useTheme((state) => state.tokens)
  const firstTheme = useRef(theme)

  useEffect(() => {
    let ended = false
    let open: OpenLog | null = null
    const start = async (element: HTMLElement) => {
      open = await openLog(element, run, stream, firstTheme.current)
      if (ended) return open.dispose()
      const { pane, feed } = open
      pane.onMatches((count, index) => setMatches({ count, index }))
      pane.onBottom((bottom) => bottom || setFollowing(false))
      feed.changed.on(() => setLog(feed.state))
      setOpened(open)
      feed.poke()
    }
    if (parent.current) start(parent.current).catch((thrown) => setFailure(unopened(thrown)))
    return () => {
      ended = true
      open?.dispose()
    }
  }, [run, stream, parent])

  useEffect(() => opened?.pane.theme(theme), [opened, theme])
  useEffect(() => opened?.feed.poke(size), [opened, size])
  useEffect(() => {
    opened?.feed.hold(!following)
    if (following) opened?.pane.toBottom()
  }, [opened, following])
  const filter = useCallback((keep: Keep | null) => opened?.feed.filter(keep), [opened])
  return { pane: opened?.pane ?? null, log, following, follow: setFollowing, filter, matches, failure }
}

const unopened = (thrown: unknown): ErrorInfo =>
  new AppError('internal', `The terminal could not be opened: ${toAppError(thrown).message}`, {
    hint: 'Reload the window; the log itself is whole.',
  }).info
