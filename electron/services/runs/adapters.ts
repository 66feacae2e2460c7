import { z } from 'zod'
import { AppError } from '#shared/base/errors.ts'
import { AdapterList, AdapterPlan } from '#shared/domain/adapter.ts'
import type { Handlers, Input } from '#shared/ipc/contract.ts'
import type { RoutedBox } from '../box/routed-box.ts'
import { lastSaid, localModule } from '../trainer/module.ts'

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
      if ((await box.files(id).stat('adapters.json')) === null) return none
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
  const module = box.remoteModule(runId) ?? localModule(env)
  const { code, stdout, stderr } = await module(
    'adapters_main',
    ['--run-dir', box.folder(runId), ...command],
    { limitMs },
  )
  if (code !== 0)
    throw new AppError('bad_input', lastSaid(stderr, 'The registry did not answer'), {
      hint: 'Look at the list again; nothing was changed.',
    })
  try {
    return JSON.parse(stdout)
  } catch (failure) {
    throw new AppError('unresolved', `The registry of ${runId} says no JSON.`, { cause: failure })
  }
}
