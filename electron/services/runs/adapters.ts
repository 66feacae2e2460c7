import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { z } from 'zod'
import { AppError } from '#shared/base/errors.ts'
import { AdapterList, AdapterPlan } from '#shared/domain/adapter.ts'
import type { Handlers, Input } from '#shared/ipc/contract.ts'
import type { RoutedBox } from '../box/routed-box.ts'
import { programs } from '../core/programs.ts'
import { findPython } from './preflight/checks.ts'

const run = promisify(execFile)

const Retired = AdapterList.extend({ freedBytes: z.number() })

/** A checkpoint's every byte is read to know it again: tens of GB at some hundred MB/s. */
const limitMs = 10 * 60_000

type AdapterRequests = 'adapters.list' | 'adapters.change' | 'adapters.plan' | 'adapters.retire'

/** A run's registry of adapters. The trainer's own program owns its file; the console asks it and never writes there itself. */
export function adapterHandlers(box: RoutedBox, env: NodeJS.ProcessEnv): Pick<Handlers, AdapterRequests> {
  const ask = async <T>(runId: string, schema: z.ZodType<T>, ...command: string[]): Promise<T> => {
    const said = await askProgram(box, env, runId, command)
    const parsed = schema.safeParse(said)
    if (parsed.success) return parsed.data
    throw new AppError('unresolved', `The registry of ${runId} says something unreadable.`, {
      cause: parsed.error,
    })
  }
  return {
    'adapters.list': async ({ run: id }) => {
      if (!box.isHere(id) || (await box.files(id).stat('adapters.json')) === null) return none
      return ask(id, AdapterList, 'list')
    },
    'adapters.change': (input) => ask(input.run, AdapterList, ...commandOf(input)),
    'adapters.plan': ({ run: id, adapters }) => ask(id, AdapterPlan, 'plan', ...adapters),
    'adapters.retire': ({ run: id, adapters, plan }) =>
      ask(id, Retired, 'retire', ...adapters, '--plan', plan),
  }
}

const none: AdapterList = { current: null, adapters: [], diskBytes: 0 }

function commandOf({ adapter, change }: Input<'adapters.change'>): string[] {
  switch (change) {
    case 'roll_back':
      return ['roll-back', adapter]
    case 'mark_good':
      return ['mark', adapter, 'good']
    case 'mark_bad':
      return ['mark', adapter, 'bad']
    case 'unmark':
      return ['mark', adapter, 'none']
  }
}

async function askProgram(
  box: RoutedBox,
  env: NodeJS.ProcessEnv,
  runId: string,
  command: string[],
): Promise<unknown> {
  if (!box.isHere(runId))
    throw new AppError('bad_input', `The adapters of ${runId} lie on another machine.`, {
      hint: 'Use adapters.py of the trainer on that machine.',
    })
  const python = await findPython(env)
  if (!python) throw new AppError('python_missing', 'The registry of adapters needs Python.')
  const args = ['-B', programs.adapters, '--run-dir', box.folder(runId), ...command]
  try {
    const { stdout } = await run(python.path, args, { env, timeout: limitMs, maxBuffer: 16 << 20 })
    return JSON.parse(stdout)
  } catch (failure) {
    const said = (failure as { stderr?: string }).stderr?.trim().split('\n').at(-1)
    throw new AppError('bad_input', sentence(said || 'The registry did not answer.'), {
      hint: 'Look at the list again; nothing was changed.',
      cause: failure,
    })
  }
}

const sentence = (text: string) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`
