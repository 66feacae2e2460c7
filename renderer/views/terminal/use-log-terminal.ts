import { type RefObject, useEffect, useRef, useState } from 'react'
import type { ErrorInfo } from '#shared/base/errors.ts'
import { core } from '../../app/core.ts'
import { LogFeed, type LogFeedState } from '../../components/terminal/log-feed.ts'
import type { TerminalPane } from '../../components/terminal/terminal-pane.ts'
import { useSignals } from '../../stores/signals.ts'
import { useTheme } from '../../theme/theme.ts'
import type { Stream } from './streams.ts'

export type LogTerminal = {
  pane: TerminalPane | null
  log: LogFeedState | null
  following: boolean
  /** Off holds the screen: nothing more is read until it is on again. */
  follow(on: boolean): void
  matches: { count: number; index: number }
  /** Why there is no terminal at all. */
  failure: ErrorInfo | null
}

/** The core tells when a log grew; where that word got lost, this asks anyway. */
const askAnywayMs = 5000

/** A terminal in `parent` that follows one log of a run. */
export function useLogTerminal(
  run: string,
  stream: Stream,
  parent: RefObject<HTMLDivElement | null>,
): LogTerminal {
  const [pane, setPane] = useState<TerminalPane | null>(null)
  const [log, setLog] = useState<LogFeedState | null>(null)
  const [following, setFollowing] = useState(true)
  const [matches, setMatches] = useState({ count: 0, index: -1 })
  const [failure, setFailure] = useState<ErrorInfo | null>(null)
  const feed = useRef<LogFeed | null>(null)
  const size = useSignals((state) => state.logs[`${run}/${stream}`])
  const theme = useTheme((state) => state.tokens)
  const themeNow = useRef(theme)
  themeNow.current = theme

  useEffect(() => {
    let ended = false
    const ends: (() => void)[] = []
    const open = async () => {
      const { openTerminal } = await import('../../components/terminal/terminal-pane.ts')
      if (ended || parent.current === null) return
      const opened = openTerminal(parent.current, themeNow.current)
      const made = new LogFeed({
        sink: opened,
        read: (offset, limit) => core().request('logs.read', { run, stream, offset, limit }),
      })
      feed.current = made
      opened.onMatches((count, index) => setMatches({ count, index }))
      opened.onBottom((bottom) => setFollowing((now) => (now && !bottom ? false : now)))
      const timer = setInterval(() => made.poke(), askAnywayMs)
      ends.push(
        made.changed.on(() => setLog(made.state)),
        () => clearInterval(timer),
        () => made.dispose(),
        () => opened.dispose(),
      )
      setPane(opened)
      made.poke()
    }
    open().catch((thrown: unknown) =>
      setFailure({
        code: 'internal',
        message: `The terminal could not be opened: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
        hint: 'Reload the window; the log itself is whole.',
        retryable: true,
      }),
    )
    return () => {
      ended = true
      feed.current = null
      for (const end of ends) end()
    }
  }, [run, stream, parent])

  useEffect(() => pane?.theme(theme), [pane, theme])
  useEffect(() => feed.current?.poke(size), [size])
  useEffect(() => {
    feed.current?.hold(!following)
    if (following) pane?.toBottom()
  }, [following, pane])
  return { pane, log, following, follow: setFollowing, matches, failure }
}
