import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { AppError } from '#shared/base/errors.ts'
import { withoutBodies } from '#shared/tasks/prompt.ts'
import { loadSuite } from '../runs/suites.ts'
import { scanForBodies } from './contamination/scan.ts'
import type { ProveDeps } from './prove.ts'
import { referencesOf } from './references.ts'
import { surveyWorkspace } from './survey.ts'

export type ExportRequest = { repo: string; commit: string; manifest: string; suites: string[]; out: string }
export type ExportReport = {
  files: number
  stripped: number
  bytes: number
  left: { task: string; file: string; line: number }[]
}

/**
 * A repository's Rust sources as JSONL (`{path, text}`) to train on, with every body that a suite holds out taken out. What was written is
 * then searched for those bodies like any corpus, so that a copy elsewhere in the repository is found and said.
 * @throws {AppError} what the survey says; `bad_suite`; `controls_failed` where a held-out body could not be taken out.
 */
export async function exportCode(request: ExportRequest, deps: ProveDeps): Promise<ExportReport> {
  const { repo, commit, manifest, out } = request
  const references = (
    await Promise.all(request.suites.map(async (path) => referencesOf(await loadSuite(path))))
  ).flat()
  const survey = await surveyWorkspace({ ...deps, repo, commit, manifest, from: 'candidates' })
  const file = createWriteStream(out)
  let stripped = 0
  let bytes = 0
  const missing = new Set(references.map(({ task }) => task))
  for (const [path, { text }] of Object.entries(survey.files)) {
    const spans = survey.functions
      .filter((item) => item.file === path)
      .flatMap(({ path: name, bodyStart, bodyEnd }) => {
        const own = references.filter((one) => one.file === path && one.function === name)
        for (const { task } of own) missing.delete(task)
        return own.length === 0 ? [] : [{ start: bodyStart, end: bodyEnd }]
      })
    const line = `${JSON.stringify({ path, text: withoutBodies(text, spans) })}\n`
    file.write(line)
    stripped += spans.length
    bytes += Buffer.byteLength(line)
  }
  file.end()
  await finished(file)
  const [first] = missing
  if (first !== undefined)
    throw new AppError(
      'controls_failed',
      `The body of ${first} is not where its suite says; ${out} may hold it.`,
      {
        hint: 'Export the commit that the suite was built from.',
      },
    )
  const bodies = references.map(({ task, body }) => ({ id: task, body }))
  const facts = bytes === 0 ? null : await scanForBodies(bodies, [out])
  const left = (facts?.findings ?? []).map(({ task, file: where, line }) => ({ task, file: where, line }))
  return { files: Object.keys(survey.files).length, stripped, bytes, left }
}
