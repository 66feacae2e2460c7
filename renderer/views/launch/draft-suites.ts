import type { LaunchDraft, LaunchOptions, SuiteOption } from '#shared/ipc/contract.ts'

type Suites = Pick<LaunchDraft, 'suite' | 'audit'>

/**
 * Other suites for a draft: a repository is asked for where either is over one, and the commit that the suite was made at is proposed. A name that
 * nobody typed follows the suite.
 */
export function withSuites(
  draft: LaunchDraft,
  options: LaunchOptions,
  change: Partial<Suites>,
): Suites & Pick<LaunchDraft, 'source' | 'name'> {
  const { suites } = options
  const { suite, audit } = { ...draft, ...change }
  const name = draft.name === givenName(draft.suite, options) ? givenName(suite, options) : draft.name
  const over = [suite, audit]
    .map((path) => suites.find((one) => one.path === path))
    .filter((one): one is SuiteOption => one?.needs === 'commit')
  const [first] = over
  if (!first) return { name, suite, audit, source: null }
  const commit = first.madeAt ?? draft.source?.commit ?? ''
  return { name, suite, audit, source: { repo: draft.source?.repo ?? '', commit } }
}

const givenName = (path: string, { defaults, suites }: LaunchOptions): string =>
  path === defaults.suite ? defaults.name : (suites.find((one) => one.path === path)?.name ?? '')

/** What the embedded trainer cannot be asked for; null where it is not asked. */
export function trainerFault(
  { suite, pipeline, command }: LaunchDraft,
  { suites }: LaunchOptions,
): string | null {
  const grader = suites.find((one) => one.path === suite)?.grader
  if (pipeline !== null || command !== null || grader === undefined || grader === 'python-function')
    return null
  return 'the embedded sketch writes Python functions; choose another trainer for this suite'
}
