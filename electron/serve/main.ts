import { parseArgs } from 'node:util'
import { dataFolder } from '#services/core/data-folder.ts'
import { AppError, toAppError } from '#shared/base/errors.ts'
import manifest from '../../package.json' with { type: 'json' }
import { startBrowserShell } from './shell.ts'

/** `node electron/serve/main.ts [--port P] [--no-open]`: the browser shell in the foreground, until a signal ends it. */
async function main(): Promise<void> {
  const { port, open } = options()
  const shell = await startBrowserShell({
    home: dataFolder(),
    version: manifest.version,
    port,
    open,
    print: (line) => console.log(line),
  })
  const end = () => {
    // A second signal ends it at once, as people expect; but npm passes a terminal's Ctrl-C on, so one press may arrive twice.
    const pressed = Date.now()
    process.on('SIGINT', () => Date.now() - pressed > 1000 && process.exit(130))
    shell.dispose().then(
      () => process.exit(0),
      (failure: unknown) => fail(failure),
    )
  }
  process.once('SIGINT', end)
  process.once('SIGTERM', end)
}

function options(): { port: number; open: boolean } {
  const { values } = parseArgs({
    options: { port: { type: 'string' }, 'no-open': { type: 'boolean' } },
    strict: true,
  })
  const port = Number(values.port ?? '0')
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new AppError('bad_input', `--port ${values.port}: a port is a whole number from 0 to 65535.`)
  return { port, open: values['no-open'] !== true }
}

function fail(failure: unknown): never {
  const usage = (failure as { code?: string }).code?.startsWith('ERR_PARSE_ARGS') === true
  const error = usage ? new AppError('bad_input', (failure as Error).message) : toAppError(failure)
  console.error(`${error.message} ${error.hint}`)
  process.exit(error.exitCode)
}

await main().catch(fail)
