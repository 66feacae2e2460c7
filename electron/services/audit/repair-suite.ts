import { cp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import type { SuiteRef } from '#shared/domain/run.ts'
import type { Case } from '#shared/domain/suite.ts'
import { loadSuite, type Suite, suiteDigest, suiteRef } from '../runs/suites.ts'

export type SuiteChange = {
  /** New cases and ids of those left out, by task. */
  add: ReadonlyMap<string, Case[]>
  drop: ReadonlyMap<string, ReadonlySet<string>>
  /** Bodies known to be wrong, by task: controls that must not pass. */
  wrongBodies: ReadonlyMap<string, string[]>
}

/**
 * Writes a new version of a suite into `folder`: a copy with its cases changed, under its own digest, with a name that says which version it is.
 * The same change of the same suite is the same folder.
 * @throws {AppError} `bad_suite` where the result is none, such as one without a case.
 */
export async function writeRepaired(base: Suite, folder: string, change: SuiteChange): Promise<SuiteRef> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = join(folder, `.draft-${process.pid}-${base.manifest.sha256.slice(0, 12)}`)
  await rm(draft, { recursive: true, force: true })
  try {
    await cp(base.path, draft, { recursive: true, dereference: true })
    for (const task of new Set([...change.add.keys(), ...change.drop.keys()]))
      await changeCases(base, draft, task, change)
    for (const [task, bodies] of change.wrongBodies) await addControls(base, draft, task, bodies)
    const sha256 = await suiteDigest(draft)
    const known = await madeBefore(folder, sha256)
    if (known) return known
    const name = await nextName(folder, base.manifest.name)
    const description = `${base.manifest.name} ${base.manifest.version} (${base.manifest.sha256.slice(0, 12)}) repaired from its false acceptances.`
    const manifest = { ...base.manifest, name, sha256, description }
    await writeFile(join(draft, 'suite.json'), `${JSON.stringify(manifest, null, 2)}\n`, { flush: true })
    const path = join(folder, `${name}-${sha256.slice(0, 12)}`)
    await rename(draft, path)
    return suiteRef(await loadSuite(path))
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

async function changeCases(
  base: Suite,
  draft: string,
  task: string,
  { add, drop }: SuiteChange,
): Promise<void> {
  const dropped = drop.get(task)
  const kept = (base.cases.get(task) ?? []).filter(({ id }) => !dropped?.has(id))
  const cases = [...kept, ...(add.get(task) ?? [])]
  if (cases.length === 0) throw new AppError('bad_suite', `No case would be left of ${task}.`)
  await writeFile(
    join(draft, 'cases', `${task}.jsonl`),
    cases
      .map(({ id, family, input, expected }) => `${JSON.stringify({ id, family, input, expected })}\n`)
      .join(''),
  )
}

async function addControls(base: Suite, draft: string, task: string, bodies: string[]): Promise<void> {
  if (base.manifest.grader !== 'python-function') return
  const folder = join(draft, 'controls', task)
  await mkdir(folder, { recursive: true })
  const taken = new Set(await readdir(folder))
  for (const body of bodies) {
    let n = 1
    while (taken.has(`once-accepted-${n}.py`)) n += 1
    taken.add(`once-accepted-${n}.py`)
    await writeFile(join(folder, `once-accepted-${n}.py`), body)
    await writeFile(
      join(folder, `once-accepted-${n}.json`),
      `${JSON.stringify({ expected: ['test_failed'] })}\n`,
    )
  }
}

async function made(folder: string): Promise<SuiteRef[]> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.'))
  const suites = await Promise.all(names.map((name) => loadSuite(join(folder, name)).catch(() => null)))
  return suites.flatMap((suite) => (suite ? [suiteRef(suite)] : []))
}

const madeBefore = async (folder: string, sha256: string): Promise<SuiteRef | null> =>
  (await made(folder)).find((suite) => suite.sha256 === sha256) ?? null

/** `booking-weak` becomes `booking-weak-r2`, and that `booking-weak-r3`, with no name given twice. */
async function nextName(folder: string, base: string): Promise<string> {
  const stem = base.replace(/-r\d+$/, '')
  const own = Number(/-r(\d+)$/.exec(base)?.[1] ?? 1)
  const taken = (await made(folder)).flatMap(({ name }) => {
    const found = /^(.*)-r(\d+)$/.exec(name)
    return found?.[1] === stem ? [Number(found[2])] : []
  })
  return `${stem}-r${Math.max(own, ...taken) + 1}`
}
