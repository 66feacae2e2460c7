import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { digestOf, loadSuite } from '../../../suite/load.ts'
import type { Verdict } from '../../grader.ts'
import { confine } from '../confinement.ts'
import { openCargoGrader } from '../grader.ts'
import { loadRustParser } from '../rust-parser.ts'
import { sha256 } from '../site.ts'
import { findToolchain } from '../toolchain.ts'
import { openWorkspace } from '../workspace.ts'
import { type Candidate, calledFunctions } from './discover.ts'
import { listTests } from './list-tests.ts'

export type SurveyRow = {
  id: string
  function: string
  file: string
  tests: number
  sameName: number
  own: string
  empty: string
  constant: string
  output: string
}
export type SurveyRequest = {
  repo: string
  commit: string
  crate: string
  scratch: string
  workers: number
  log: (text: string) => void
}

const bodies = { empty: '{}', constant: '{ ::core::default::Default::default() }' }

/**
 * Grades, for every function of a crate that some test calls, its own body, an empty and a constant one: a check of the grader on code it was
 * not written for.
 */
export async function survey(request: SurveyRequest): Promise<{ rows: SurveyRow[] }> {
  const { repo, commit, scratch, log } = request
  const toolchain = await findToolchain()
  const confinement = await confine(toolchain, `${scratch}/filters`)
  const workspace = await openWorkspace(`${scratch}/look`, { repo, commit }, ['Cargo.toml'], {
    confinement,
    toolchain: toolchain.version,
  })
  const owner = (await workspace.packages('Cargo.toml')).find((item) => item.name === request.crate)
  if (!owner) throw new Error(`no crate ${request.crate}`)
  const paths = workspace.entries.map((entry) => entry.path).filter((path) => path.endsWith('.rs'))
  const files = await Promise.all(
    paths.map(async (path) => ({ path, source: await readFile(`${workspace.tree}/${path}`, 'utf8') })),
  )
  const [{ listed, broken } = { listed: [], broken: 'no crate' }] = await listTests(
    { confinement, workspace, scratch: `${scratch}/list`, manifest: 'Cargo.toml', log },
    [owner],
  )
  if (broken !== null) throw new Error(`${owner.name} does not build: ${broken}`)
  const candidates = calledFunctions(await loadRustParser(), owner, files, listed)
  log(
    `${owner.name}: ${listed.reduce((sum, list) => sum + list.names.length, 0)} tests, ${candidates.length} functions some test calls`,
  )
  await writeSuite(`${scratch}/suite`, owner.name, candidates, files)
  return gradeAll(request, candidates)
}

const idOf = (index: number) => `f${String(index).padStart(3, '0')}`

async function writeSuite(
  folder: string,
  name: string,
  candidates: Candidate[],
  files: { path: string; source: string }[],
): Promise<void> {
  const sources = new Map(files.map((file) => [file.path, file.source]))
  const out = new Map<string, string>()
  const lines = candidates.map((candidate, index) => {
    const id = idOf(index)
    const { function: item, file, tests } = candidate
    const body = (sources.get(file) ?? '').slice(item.bodyStart, item.bodyEnd)
    out.set(`reference/${id}.rs`, body)
    const task = {
      id,
      prompt: item.path,
      signature: item.signature,
      reference: `reference/${id}.rs`,
      referenceSha256: sha256(body),
    }
    return `${JSON.stringify({ ...task, crate: name, file, function: item.path, tests })}\n`
  })
  out.set('tasks.jsonl', lines.join(''))
  const digest = digestOf(new Map([...out].map(([path, text]) => [path, Buffer.from(text)])))
  out.set(
    'suite.json',
    JSON.stringify({ name: 'survey', grader: 'cargo', version: '1', sha256: digest, language: 'rust' }),
  )
  await mkdir(`${folder}/reference`, { recursive: true })
  for (const [path, text] of out) await writeFile(`${folder}/${path}`, text)
}

async function gradeAll(request: SurveyRequest, candidates: Candidate[]): Promise<{ rows: SurveyRow[] }> {
  const { repo, commit, scratch, log } = request
  await mkdir(`${scratch}/grader`, { recursive: true })
  const suite = `${scratch}/suite`
  const grader = await openCargoGrader(loadSuite(suite), {
    suiteFolder: suite,
    scratch: `${scratch}/grader`,
    repo,
    commit,
    workspace: null,
    diskLimitBytes: null,
    log,
  })
  const slots = await grader.open(request.workers)
  const rows: SurveyRow[] = []
  const waiting = candidates.map((candidate, index) => ({ candidate, id: idOf(index) }))
  const signal = new AbortController().signal
  const own = new Map(
    await Promise.all(
      waiting.map(async ({ id }) => [id, await readFile(`${suite}/reference/${id}.rs`, 'utf8')] as const),
    ),
  )
  await Promise.all(
    slots.map(async (slot) => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { id, candidate } = next
        const grade = (body: string) => slot.grade({ task: id, body, bodySha256: '', signal })
        const verdicts = [
          await grade(own.get(id) ?? ''),
          await grade(bodies.empty),
          await grade(bodies.constant),
        ]
        const [said, empty, constant] = verdicts.map(inWords)
        const output = verdicts.flatMap((verdict) => verdict.output.map((part) => part.text)).join('\n')
        const place = {
          function: candidate.function.path,
          file: candidate.file,
          tests: candidate.tests.length,
          sameName: candidate.sameName,
        }
        rows.push({ id, ...place, own: said ?? '', empty: empty ?? '', constant: constant ?? '', output })
      }
    }),
  )
  for (const slot of slots) await slot.dispose()
  await grader.dispose()
  return { rows: rows.sort((a, b) => (a.id < b.id ? -1 : 1)) }
}

const inWords = ({ status, reason, tests }: Verdict): string => {
  const passed = tests.filter((item) => item.outcome === 'passed').length
  return `${status}${reason === null ? '' : ` (${reason})`}${tests.length > 0 ? ` ${passed}/${tests.length}` : ''}`
}
