import { createHash, randomUUID } from 'node:crypto'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import { type GradeLine, isGraded } from '#shared/domain/grade.ts'
import type { Case } from '#shared/domain/suite.ts'
import { type Suite, suiteDigest } from '../runs/suites.ts'
import { gradeAll, withOwnVerifier } from '../verifier/grade-all.ts'
import { type OwnVerifierOptions, ownerIdentity } from '../verifier/own-verifier.ts'

export type AskOptions = Pick<OwnVerifierOptions, 'ledger' | 'scratch' | 'env' | 'run'> & { suite: Suite }

/** What a body made of each input: the JSON text of its answer; null where it gave none (it raised, ran out of time, was stopped). */
export type Answers = (string | null)[]

/** No answer of any body: cases whose expected result is not known yet expect this. */
const unanswerable = '"ringside: no such answer"'

/**
 * Runs bodies on inputs, sandboxed as every grade: through a suite of these inputs that exists for this question only.
 * @param inputs JSON texts of argument lists. @returns answers by body, in the order of the inputs.
 * @throws {AppError} `unresolved` where the verifier could not say.
 */
export async function ask(
  options: AskOptions,
  task: string,
  inputs: readonly string[],
  bodies: ReadonlyMap<string, string>,
): Promise<Map<string, Answers>> {
  const cases = inputs.map((input, i) => ({
    id: `q-${i}`,
    family: 'question',
    input,
    expected: unanswerable,
  }))
  const grades = await gradeOnCases(options, task, cases, bodies)
  return new Map([...grades].map(([name, grade]) => [name, cases.map(({ id }) => answerOf(grade, id))]))
}

const answerOf = (grade: GradeLine, id: string): string | null =>
  grade.tests.find((test) => test.name === id)?.observed ?? null

async function gradeOnCases(
  options: AskOptions,
  task: string,
  cases: Case[],
  bodies: ReadonlyMap<string, string>,
): Promise<Map<string, GradeLine>> {
  const { ledger, scratch, env, run } = options
  const id = `question/${randomUUID()}`
  const folder = join(scratch, id.replace('/', '-'))
  const lease = await ledger.intend({
    id,
    run,
    kind: 'folder',
    label: `cases of one question: ${folder}`,
    identity: { path: folder, ...(await ownerIdentity()) },
  })
  try {
    await writeQuestion(options.suite, folder, task, cases)
    await ledger.hold(lease.id)
    const own = {
      ledger,
      scratch,
      env,
      run,
      suite: folder,
      workers: 2,
      purpose: 'witness verifier',
      background: true,
    }
    const items = [...bodies].map(([name, body]) => ({ id: name, task, body }))
    const grades = await withOwnVerifier(own, (verifier) => gradeAll(verifier, items))
    const silent = [...grades.values()].find((grade) => !isGraded(grade.status))
    if (silent)
      throw new AppError(
        'unresolved',
        `The verifier could not say what ${silent.id} answers: ${silent.reason}.`,
      )
    return grades
  } finally {
    await rm(folder, { recursive: true, force: true })
    await ledger.release(lease.id, `no folder ${folder}`)
  }
}

async function writeQuestion(suite: Suite, folder: string, task: string, cases: Case[]): Promise<void> {
  const found = suite.tasks.find((one) => one.id === task)
  if (!found) throw new AppError('unknown_task', `${suite.manifest.name} has no task ${task}.`)
  await mkdir(join(folder, 'cases'), { recursive: true, mode: 0o700 })
  if (found.reference !== null) {
    await mkdir(join(folder, dirname(found.reference)), { recursive: true })
    await cp(join(suite.path, found.reference), join(folder, found.reference))
  }
  await writeFile(join(folder, 'tasks.jsonl'), `${JSON.stringify(found)}\n`)
  await writeFile(
    join(folder, 'cases', `${task}.jsonl`),
    cases.map((one) => `${JSON.stringify(one)}\n`).join(''),
  )
  const manifest = { ...suite.manifest, name: 'question', sha256: await suiteDigest(folder) }
  await writeFile(join(folder, 'suite.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

export const shaOf = (text: string): string => createHash('sha256').update(text).digest('hex')
