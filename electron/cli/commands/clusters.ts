import type { Command } from 'commander'
import { AppError } from '#shared/base/errors.ts'
import type { ContextView } from '#shared/ipc/clusters.ts'
import { print, printJson, table } from '../output.ts'
import { withCore } from '../with-core.ts'

type Json = { json?: true }

export function addClusters(program: Command): void {
  const clusters = program
    .command('clusters')
    .description('clusters that the kubeconfigs lead to, and which may be changed')
  clusters.command('list').option('--json', 'print every context').action(list)
  clusters
    .command('allow <context>')
    .description(
      'let this console create and delete its own objects in the cluster that the context leads to',
    )
    .action((context: string) => change(context, true))
  clusters
    .command('deny <context>')
    .description('make that cluster read-only again')
    .action((context: string) => change(context, false))
}

async function list({ json }: Json): Promise<void> {
  const { contexts, problems } = await withCore(({ handlers }) =>
    Promise.resolve(handlers['clusters.list']({})),
  )
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  if (json) printJson(contexts)
  else print(inWords(contexts))
}

async function change(context: string, writable: boolean): Promise<void> {
  const found = await withCore(async ({ handlers }) => {
    const { contexts } = await handlers['clusters.list']({})
    const one = contexts.find((each) => each.context === context)
    if (!one) throw new AppError('not_found', `No kubeconfig has a context ${context}.`)
    if (one.key === null)
      throw new AppError('bad_kubeconfig', one.problem ?? `${context} leads to no cluster.`)
    const { contexts: after } = await handlers['clusters.setWritable']({ cluster: one.key, writable })
    return after.filter((each) => each.key === one.key)
  })
  print(inWords(found))
}

const inWords = (contexts: ContextView[]): string =>
  table(
    ['context', 'server', 'namespace', ''],
    contexts.map(({ context, server, namespace, writable, current, problem }) => [
      current ? `${context} (current)` : context,
      server ?? '',
      namespace ?? '',
      problem ?? (writable ? 'may be changed' : 'read-only'),
    ]),
  )
