import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Json, shrink } from '#shared/audit/shrink.ts'
import { AppError } from '#shared/base/errors.ts'
import type { Suite } from '../runs/suites.ts'
import { type AskOptions, ask } from './answers.ts'

export type SmallWitness = {
  task: string
  /** JSON text of the argument list. */
  input: string
  /** What the reference answers to it, and what the body does; null where the body gives no answer. */
  expected: string
  observed: string | null
}

/**
 * The smallest input, reached from `input` by steps that keep it well-formed, on which the body differs from the reference; both are run on
 * every input that is tried.
 * @throws {AppError} `unresolved` where they do not differ on `input` itself.
 */
export async function smallestWitness(
  options: AskOptions,
  task: string,
  body: string,
  input: string,
): Promise<SmallWitness> {
  const bodies = new Map([
    ['reference', await referenceOf(options.suite, task)],
    ['body', body],
  ])
  const run = async (inputs: string[]) => {
    const answers = await ask(options, task, inputs, bodies)
    return inputs.map((_, i) => ({
      expected: answers.get('reference')?.[i] ?? null,
      observed: answers.get('body')?.[i] ?? null,
    }))
  }
  // A reference that gives no answer proves nothing about the body.
  const differ = async (batch: Json[][]) =>
    (await run(batch.map((args) => JSON.stringify(args)))).map(
      ({ expected, observed }) => expected !== null && expected !== observed,
    )
  const { args } = await shrink(JSON.parse(input) as Json[], differ)
  const smallest = JSON.stringify(args)
  const [found] = await run([smallest])
  if (!found || found.expected === null || found.expected === found.observed)
    throw new AppError('unresolved', `The body answers ${input} as the reference does, so it is no witness.`)
  return { task, input: smallest, expected: found.expected, observed: found.observed }
}

/** @throws {AppError} `bad_suite` where the task has none: what is right is then not known. */
export async function referenceOf(suite: Suite, task: string): Promise<string> {
  const reference = suite.tasks.find(({ id }) => id === task)?.reference
  if (reference == null)
    throw new AppError('bad_suite', `Task ${task} has no reference body to compare with.`)
  return readFile(join(suite.path, reference), 'utf8')
}
