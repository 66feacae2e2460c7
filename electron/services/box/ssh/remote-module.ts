import { AppError } from '#shared/base/errors.ts'
import type { TrainerModule } from '../../trainer/module.ts'
import { boxFacts } from './facts.ts'
import type { SshLink } from './link.ts'
import { uploadTrainer } from './pipeline-archive.ts'
import { shCommand } from './remote.ts'

/** A box behind SSH: the trainer's archive is put there once a version, and its modules are run out of it. */
export function remoteModule(link: SshLink, root: () => Promise<string>): TrainerModule {
  return async (name, args, { input, limitMs, python, signal }) => {
    const command = python ?? (await boxFacts(link)).python?.path
    if (command === undefined)
      throw new AppError('python_missing', `This needs Python 3.10 or later on ${link.name}.`)
    const archive = await uploadTrainer(link, await root())
    const script = 'PYTHONPATH="$1"; export PYTHONPATH; shift; exec "$@"'
    const words = [archive, command, '-B', '-m', `ringside_trainer.${name}`, ...args]
    const running = link.exec(shCommand(script, words), { input: input ?? '', limitMs })
    // Nobody waits for a program over there that is no longer wanted; it is left to its own end.
    const said = await (signal ? Promise.race([running, unwanted(signal, name)]) : running)
    return { code: said.code, stdout: said.stdout.toString(), stderr: said.stderr }
  }
}

function unwanted(signal: AbortSignal, name: string): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(new AppError('not_running', `${name} is no longer waited for.`))
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}
