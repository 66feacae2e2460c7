import { type ErrorInfo, toAppError } from '#shared/base/errors.ts'
import { ask } from '../../app/core.ts'
import { openTerminal, type TerminalPane } from '../../components/terminal/terminal-pane.ts'
import { shellAdvanced } from '../../stores/boxes.ts'
import type { Tokens } from '../../theme/tokens.ts'

export type OpenShell = {
  type(text: string): void
  pane: TerminalPane
  /** Another shell in the same terminal, below what the last one said; nothing is cleared. */
  again(): Promise<void>
  dispose(): void
}

/** `broken`: the link went, and with it the shell; what ran there is unknown. */
export type ShellEnd = { why: string; broken: boolean }

export type ShellListener = {
  onEnded: (end: ShellEnd) => void
  /** Several lines were pasted: nothing of them was sent. */
  onPaste: (text: string) => void
  onFault: (fault: ErrorInfo) => void
}

/**
 * A terminal in `parent` on a shell of the box. Output is taken only as fast as it is drawn: the next piece is asked for when the last one is on the
 * screen, and meanwhile the box is told to wait.
 */
export async function openShell(
  parent: HTMLElement,
  box: string,
  tokens: Tokens,
  listener: ShellListener,
): Promise<OpenShell> {
  const pane = openTerminal(parent, tokens, { input: true })
  let current: Going | null = await begin(pane, box, listener).catch((failure: unknown) => {
    pane.dispose()
    throw failure
  })
  const type = (text: string) => current?.type(text)
  pane.onInput(type)
  pane.onPaste(listener.onPaste)
  pane.onSize((cols, rows) => current?.resize(cols, rows))
  pane.focus()
  return {
    type,
    pane,
    again: async () => {
      current?.dispose()
      current = null
      await drawGap(pane)
      current = await begin(pane, box, listener)
    },
    dispose: () => {
      current?.dispose()
      pane.dispose()
    },
  }
}

type Going = { type(text: string): void; resize(cols: number, rows: number): void; dispose(): void }

async function begin(pane: TerminalPane, box: string, listener: ShellListener): Promise<Going> {
  const { shell } = await ask('shell.open', { box, ...pane.size() })
  const decoder = new TextDecoder()
  let over = false
  const tell = (failure: unknown) => over || listener.onFault(toAppError(failure).info)
  const take = oneAtATime(async () => {
    const { bytesBase64, ended, broken } = await ask('shell.read', { shell })
    const bytes = Uint8Array.from(atob(bytesBase64), (letter) => letter.charCodeAt(0))
    const text = decoder.decode(bytes, { stream: true })
    if (bytes.length > 0 && !over) await new Promise<void>((done) => pane.write(text, done))
    if (ended === null) return bytes.length > 0
    if (!over) listener.onEnded({ why: ended, broken })
    over = true
    return false
  }, tell)
  const quiet = shellAdvanced.on((which) => which === shell && take())
  take()
  const tellShell = (work: () => Promise<unknown>) => {
    if (!over) void work().catch(tell)
  }
  return {
    type: (text) => tellShell(() => ask('shell.write', { shell, text })),
    resize: (cols, rows) => tellShell(() => ask('shell.resize', { shell, cols, rows })),
    dispose: () => {
      quiet()
      if (!over) void ask('shell.close', { shell }).catch(() => undefined)
      over = true
    },
  }
}

/** Where a shell was lost and another begins, in the middle of what both said; modes that the lost one left behind are put back. */
function drawGap(pane: TerminalPane): Promise<void> {
  const at = new Date().toLocaleTimeString()
  const line = `── the link broke here; what ran in that shell is unknown. Another shell since ${at} ──`
  return new Promise((done) => pane.write(`\u001b[!p\u001b[?1049l\r\n\u001b[33m${line}\u001b[0m\r\n`, done))
}

/** Runs `work` again while it says that there was something, never twice at once. */
function oneAtATime(work: () => Promise<boolean>, onFault: (failure: unknown) => void): () => void {
  let running = false
  let again = false
  const run = async () => {
    running = true
    try {
      do again = false
      while ((await work()) || again)
    } catch (failure) {
      onFault(failure)
    } finally {
      running = false
    }
  }
  return () => {
    if (running) again = true
    else void run()
  }
}
