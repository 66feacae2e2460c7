import type { Command } from 'commander'
import { dataFolder } from '#services/core/data-folder.ts'
import manifest from '../../../package.json' with { type: 'json' }
import { print, wholeNumber } from '../output.ts'
import { stopSignal } from '../with-core.ts'

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('the console in a browser, on this machine only; prints the address that opens it')
    .option('--port <port>', 'port on 127.0.0.1; left out, a free one', wholeNumber('--port', 0, 65_535), 0)
    .option('--no-open', 'do not open a browser')
    .action(async ({ port, open }: { port: number; open: boolean }) => {
      const { startBrowserShell } = await import('../../serve/shell.ts')
      const shell = await startBrowserShell({
        home: dataFolder(),
        version: manifest.version,
        port,
        open,
        print,
      })
      const { signal } = stopSignal()
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      await shell.dispose()
    })
}
