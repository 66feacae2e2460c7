import { core } from '../../app/core.ts'
import { loadCode } from '../../app/load-code.ts'
import { LogFeed } from '../../components/terminal/log-feed.ts'
import type { TerminalPane } from '../../components/terminal/terminal-pane.ts'
import type { Tokens } from '../../theme/tokens.ts'
import type { Stream } from './streams.ts'

export type OpenLog = { pane: TerminalPane; feed: LogFeed; dispose(): void }

/** The core tells when a log grew; where that word got lost, this asks anyway. */
const askAnywayMs = 5000

/** Opens a terminal in `parent` and starts feeding it one log of a run. xterm.js is loaded here, when first needed. */
export async function openLog(
  parent: HTMLElement,
  run: string,
  stream: Stream,
  tokens: Tokens,
): Promise<OpenLog> {
  const { openTerminal } = await loadCode(() => import('../../components/terminal/terminal-pane.ts'))
  const pane = openTerminal(parent, tokens)
  const feed = new LogFeed({
    sink: pane,
    read: (offset, limit) => core().request('logs.read', { run, stream, offset, limit }),
  })
  const timer = setInterval(() => feed.poke(), askAnywayMs)
  return {
    pane,
    feed,
    dispose: () => {
      clearInterval(timer)
      feed.dispose()
      pane.dispose()
    },
  }
}
