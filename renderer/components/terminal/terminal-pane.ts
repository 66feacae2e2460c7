import { FitAddon } from '@xterm/addon-fit'
import { SearchAddon } from '@xterm/addon-search'
import { WebglAddon } from '@xterm/addon-webgl'
import { type ITheme, Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import type { Tokens } from '../../theme/tokens.ts'
import type { LogSink } from './log-feed.ts'

/** Lines kept; about 25 MB at 200 columns. Older ones are in the file. */
const scrollback = 20_000

export type TerminalPane = LogSink & {
  /** What is typed, where the terminal takes input. */
  onInput(listener: (text: string) => void): void
  /** Told instead of `onInput` where several lines are pasted: they would run one by one as they arrive. */
  onPaste(listener: (text: string) => void): void
  onSize(listener: (cols: number, rows: number) => void): void
  size(): { cols: number; rows: number }
  focus(): void
  theme(tokens: Tokens): void
  find(text: string, direction: 'next' | 'previous'): void
  /** Told how many matches there are and which one is shown (from 0; −1 for none). */
  onMatches(listener: (count: number, index: number) => void): void
  /** Told whether the last line is in view, whenever that may have changed. */
  onBottom(listener: (bottom: boolean) => void): void
  toBottom(): void
  /** What is selected, or all that is kept. */
  text(): string
  readonly renderer: 'webgl' | 'dom'
  dispose(): void
}

/** Opens a terminal that shows, and takes input where it is told to. This module pulls in xterm.js: import it only through a dynamic `import()`. */
export function openTerminal(
  parent: HTMLElement,
  tokens: Tokens,
  { input = false }: { input?: boolean } = {},
): TerminalPane {
  const terminal = new Terminal({
    disableStdin: !input,
    scrollback,
    theme: themeOf(tokens, input),
    fontFamily: getComputedStyle(parent).getPropertyValue('--mono').trim() || 'monospace',
    fontSize: 12,
    lineHeight: 1.25,
    minimumContrastRatio: 4.5,
    // Search highlights are drawn by decorations, which are still a proposed API.
    allowProposedApi: true,
  })
  const fit = new FitAddon()
  const search = new SearchAddon({ highlightLimit: 500 })
  terminal.loadAddon(fit)
  terminal.loadAddon(search)
  if (input) guardShell(terminal)
  else guard(terminal)
  terminal.open(parent)
  // The keys of the view work here too: nothing is typed into a log.
  if (terminal.textarea && !input) terminal.textarea.disabled = true
  const renderer = paintByWebgl(terminal)
  fit.fit()
  const resize = new ResizeObserver(() => fit.fit())
  resize.observe(parent)
  let current = tokens
  return {
    renderer,
    onInput: (listener) => void terminal.onData(listener),
    onPaste: (listener) => catchPaste(parent, listener),
    onSize: (listener) => void terminal.onResize(({ cols, rows }) => listener(cols, rows)),
    size: () => ({ cols: terminal.cols, rows: terminal.rows }),
    focus: () => terminal.focus(),
    write: (text, done) => terminal.write(text, done),
    clear: () => terminal.reset(),
    theme: (next) => {
      current = next
      terminal.options.theme = themeOf(next, input)
    },
    find: (text, direction) => {
      if (text === '') search.clearDecorations()
      const options = { decorations: highlights(current), caseSensitive: false }
      if (direction === 'next') search.findNext(text, options)
      else search.findPrevious(text, options)
    },
    onMatches: (listener) =>
      void search.onDidChangeResults(({ resultCount, resultIndex }) => listener(resultCount, resultIndex)),
    onBottom: (listener) => void terminal.onScroll(() => listener(atBottom(terminal))),
    toBottom: () => terminal.scrollToBottom(),
    text: () => terminal.getSelection() || allText(terminal),
    dispose: () => {
      resize.disconnect()
      terminal.dispose()
    },
  }
}

const atBottom = (terminal: Terminal) => terminal.buffer.active.viewportY >= terminal.buffer.active.baseY

/**
 * The second wall behind the sanitiser: whatever sequence reached the parser, it can neither retitle, link, set colours, reach the
 * clipboard, nor make the terminal answer.
 */
function guard(terminal: Terminal): void {
  const swallow = () => true
  for (const code of [0, 1, 2, 4, 7, 8, 9, 10, 11, 12, 52, 104, 110, 111, 112, 133, 633, 1337]) {
    terminal.parser.registerOscHandler(code, swallow)
  }
  for (const final of ['c', 'n', 't']) terminal.parser.registerCsiHandler({ final }, swallow)
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'n' }, swallow)
  terminal.parser.registerCsiHandler({ prefix: '>', final: 'c' }, swallow)
  terminal.parser.registerDcsHandler({ intermediates: '$', final: 'q' }, swallow)
}

/** Of a shell: a program there may ask where the cursor is, as editors must, but neither retitle, link nor reach the clipboard. */
function guardShell(terminal: Terminal): void {
  for (const code of [0, 1, 2, 7, 8, 9, 52, 133, 633, 1337]) {
    terminal.parser.registerOscHandler(code, () => true)
  }
  terminal.parser.registerCsiHandler({ final: 't' }, () => true)
}

/** Before the terminal itself sees it. */
function catchPaste(parent: HTMLElement, listener: (text: string) => void): void {
  parent.addEventListener(
    'paste',
    (event) => {
      const text = event.clipboardData?.getData('text/plain') ?? ''
      if (!/[\r\n]/.test(text.trimEnd())) return
      event.preventDefault()
      event.stopPropagation()
      listener(text.replaceAll(/\r?\n/g, '\r'))
    },
    { capture: true },
  )
}

/** The graphics card where there is one, else the slower way by elements; a lost context falls back while it runs. */
function paintByWebgl(terminal: Terminal): 'webgl' | 'dom' {
  try {
    const webgl = new WebglAddon()
    webgl.onContextLoss(() => webgl.dispose())
    terminal.loadAddon(webgl)
    return 'webgl'
  } catch {
    return 'dom'
  }
}

function allText(terminal: Terminal): string {
  const buffer = terminal.buffer.active
  const lines = Array.from(
    { length: buffer.length },
    (_, y) => buffer.getLine(y)?.translateToString(true) ?? '',
  )
  return `${lines.join('\n').trimEnd()}\n`
}

const highlights = (tokens: Tokens) => ({
  matchBackground: tokens.warnTint,
  matchBorder: tokens.warn,
  matchOverviewRuler: tokens.warn,
  activeMatchBackground: tokens.accentTint,
  activeMatchBorder: tokens.accent,
  activeMatchColorOverviewRuler: tokens.accent,
})

const themeOf = (tokens: Tokens, input: boolean): ITheme => ({
  background: tokens.panel,
  foreground: tokens.text,
  cursor: input ? tokens.accent : tokens.panel,
  cursorAccent: tokens.panel,
  selectionBackground: `${tokens.accent}55`,
  black: tokens.faint,
  red: tokens.bad,
  green: tokens.good,
  yellow: tokens.warn,
  blue: tokens.accent,
  magenta: tokens.tampered,
  cyan: tokens.third,
  white: tokens.text,
  brightBlack: tokens.dim,
  brightRed: tokens.build_failed,
  brightGreen: tokens.passed,
  brightYellow: tokens.second,
  brightBlue: tokens.accent,
  brightMagenta: tokens.timed_out,
  brightCyan: tokens.third,
  brightWhite: tokens.text,
})
