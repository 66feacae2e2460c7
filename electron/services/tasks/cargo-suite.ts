import type { Survey } from '#shared/tasks/survey.ts'
import type { Prompted } from './prompts.ts'
import { type SuiteFiles, sha256 } from './suite-files.ts'

/** Tasks of one survey, ready to be written as a suite; `measured` once a grade of the reference body took its time. */
export type Draft = { survey: Survey; tasks: (Prompted & { measured?: Measured })[] }
export type Measured = { buildMs: number | null; testMs: number | null }

/** The files of a cargo suite, without its manifest. */
export function cargoSuiteFiles({ survey, tasks }: Draft): SuiteFiles {
  const files: SuiteFiles = new Map()
  for (const task of tasks) files.set(`reference/${task.id}.rs`, task.body)
  const lines = tasks.map((task) =>
    JSON.stringify({
      id: task.id,
      prompt: task.prompt,
      signature: task.signature,
      reference: `reference/${task.id}.rs`,
      referenceSha256: sha256(task.body),
      ...(task.measured && { measured: task.measured }),
      sourceCommit: survey.commit,
      crate: task.crate,
      file: task.file,
      function: task.path,
      tests: task.tests,
      negativeControls: task.negativeControls,
      manifest: survey.manifest,
      // Splits hold out whole groups.
      group: task.crate,
      promptTokens: task.promptTokens,
      logicLines: task.logicLines,
      commits: task.commits,
    }),
  )
  files.set('tasks.jsonl', lines.map((line) => `${line}\n`).join(''))
  return files
}
