import { type ErrorInfo, toAppError } from '#shared/base/errors.ts'
import { ask } from '../../app/core.ts'
import { openTerminal } from '../../components/terminal/terminal-pane.ts'
import { shellAdvanced } from '../../stores/boxes.ts'
import type { Tokens } from '../../theme/tokens.ts'

export type OpenShell = {
  type(text: string): void
  theme(tokens: Tokens): void
  dispose(): void
}

export type ShellListener = {
  onEnded: (why: string) => void
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
  const size = pane.size()
  const { shell } = await ask('shell.open', { box, ...size }).catch((failure: unknown) => {
    pane.dispose()
    throw failure
  })
  const decoder = new TextDecoder()
  let over = false
  const tell = (failure: unknown) => over || listener.onFault(toAppError(failure).info)
  const type = (text: string) => void ask('shell.write', { shell, text }).catch(tell)
  const take = oneAtATime(async () => {
    const { bytesBase64, ended } = await ask('shell.read', { shell })
    const bytes = Uint8Array.from(atob(bytesBase64), (letter) => letter.charCodeAt(0))
    const text = decoder.decode(bytes, { stream: true })
    if (bytes.length > 0) await new Promise<void>((done) => pane.write(text, done))
    if (ended === null) return bytes.length > 0
    over = true
    listener.onEnded(ended)
    return false
  }, tell)
  const quiet = shellAdvanced.on((which) => which === shell && take())
  pane.onInput(type)
  pane.onPaste(listener.onPaste)
  pane.onSize((cols, rows) => void ask('shell.resize', { shell, cols, rows }).catch(tell))
  pane.focus()
  take()
  return {
    type,
    theme: (next) => pane.theme(next),
    dispose: () => {
      over = true
      quiet()
      pane.dispose()
      void ask('shell.close', { shell }).catch(() => undefined)
    },
  }
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
