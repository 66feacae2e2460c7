import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { AppError } from '#shared/base/errors.ts'
import { type Study, StudyDraw, StudyManifest } from '#shared/domain/study.ts'

const scoreColumn = /^([a-z][a-z0-9_]*)_passed$/

/**
 * Reads a table of saved draws. Columns `<verifier>_passed` name the verifiers, `audit_passed` the audit. The number of cases of each suite
 * comes from `study.json` in the same folder, else from the largest score seen.
 *
 * @throws {AppError} `not_found` or `bad_input`, naming the line and column at fault.
 */
export async function loadStudy(file: string): Promise<Study> {
  const rows = parseTable(file, await readText(file))
  const verifiers = Object.keys(rows[0] ?? {}).flatMap((column) => scoreColumn.exec(column)?.[1] ?? [])
  if (!verifiers.includes('audit')) throw new AppError('bad_input', `${file} has no column audit_passed.`)
  const draws = rows.map((row, i) => toDraw(file, i + 2, row, verifiers))
  const manifest = await readManifest(file)
  const cases = manifest?.cases ?? largestScores(draws, verifiers)
  for (const name of verifiers) {
    if (cases[name] === undefined)
      throw new AppError('bad_input', `study.json names no number of cases for ${name}.`)
  }
  return { title: manifest?.title ?? file, source: manifest?.source ?? 'not stated', cases, draws }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new AppError('not_found', `${file} cannot be read.`, {
      cause,
      hint: 'Name a CSV file of saved draws.',
    })
  }
}

function parseTable(file: string, text: string): Record<string, string>[] {
  let rows: Record<string, string>[]
  try {
    rows = parse(text, { columns: true, bom: true, skip_empty_lines: true })
  } catch (cause) {
    throw new AppError(
      'bad_input',
      `${file} is no table: ${cause instanceof Error ? cause.message : cause}.`,
      { cause },
    )
  }
  if (rows.length === 0) throw new AppError('bad_input', `${file} holds no draws.`)
  return rows
}

function toDraw(file: string, line: number, row: Record<string, string>, verifiers: string[]): StudyDraw {
  const count = (column: string) => (/^\d+$/.test(row[column] ?? '') ? Number(row[column]) : row[column])
  const flag = (column: string) => ({ '0': false, '1': true })[row[column] ?? '']
  const draw = StudyDraw.safeParse({
    draw: row.draw,
    seed: row.seed || null,
    arm: row.arm,
    update: count('update'),
    // A rejected completion carries the hash of nothing: there is no program, so there is no source.
    source: row.extraction?.startsWith('rejected') ? null : row.source || null,
    syntaxValid: flag('syntax_valid'),
    tokens: row.tokens ? count('tokens') : null,
    hitTokenCap: flag('hit_token_cap'),
    inclusiveSignature: flag('inclusive_signature'),
    verifiers: Object.fromEntries(
      verifiers.filter((name) => name !== 'audit').map((name) => [name, count(`${name}_passed`)]),
    ),
    audit: count('audit_passed'),
  })
  if (draw.success) return draw.data
  const issue = draw.error.issues[0]
  throw new AppError('bad_input', `${file}, line ${line}, ${issue?.path.join('.')}: ${issue?.message}.`)
}

async function readManifest(file: string): Promise<StudyManifest | null> {
  const path = join(dirname(file), 'study.json')
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch {
    return null
  }
  try {
    return StudyManifest.parse(JSON.parse(text))
  } catch (cause) {
    throw new AppError('bad_input', `${path} is no study manifest.`, { cause })
  }
}

const largestScores = (draws: StudyDraw[], verifiers: string[]): Record<string, number> =>
  Object.fromEntries(
    verifiers.map((name) => [
      name,
      draws.reduce(
        (most, draw) => Math.max(most, name === 'audit' ? draw.audit : (draw.verifiers[name] ?? 0)),
        0,
      ),
    ]),
  )
