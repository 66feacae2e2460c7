import { Case } from '#shared/domain/suite.ts'
import { type Item, idFrom, textOf, Unusable } from './item.ts'

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/
const languages = ['python', 'rust', 'c', 'cpp', 'javascript'] as const

/** A Python function with cases: `{id, prompt, function, signature?, group?, cases: [{id, family, input, expected}], reference?}`, the case's texts raw JSON. */
export function readPythonFunction(value: Record<string, unknown>, line: number): Item {
  const name = textOf(value.function)
  if (name === null || !identifier.test(name)) throw new Unusable('missing_function')
  return {
    ...commonOf(value, line),
    mode: 'function',
    language: 'python',
    function: name,
    signature: textOf(value.signature) ?? `def ${name}(…):`,
    cases: casesOf(value.cases),
  }
}

/** A program: `{id, prompt, language?, group?, cases: [{input, output}], reference?}`, the texts as they are read and printed. */
export function readStdioProgram(value: Record<string, unknown>, line: number): Item {
  const given = value.language ?? 'python'
  const language = languages.find((name) => name === given)
  if (language === undefined) throw new Unusable('unknown_language', `language ${JSON.stringify(given)}`)
  if (!Array.isArray(value.cases) || value.cases.length === 0) throw new Unusable('missing_cases')
  const cases = value.cases.map((entry: unknown, at) => {
    const { input, output } = (typeof entry === 'object' && entry !== null ? entry : {}) as Record<
      string,
      unknown
    >
    if (typeof input !== 'string') throw new Unusable('input_not_text', `case ${at + 1}`)
    if (typeof output !== 'string') throw new Unusable('output_not_text', `case ${at + 1}`)
    if (output.trim() === '') throw new Unusable('empty_expected_output', `case ${at + 1}`)
    return {
      id: `t${at + 1}`,
      family: 'given',
      input: JSON.stringify(input),
      expected: JSON.stringify(output),
    }
  })
  return { ...commonOf(value, line), mode: 'program', language, function: null, signature: '', cases }
}

function commonOf(value: Record<string, unknown>, line: number) {
  const id = textOf(value.id)
  if (id === null || id.trim() === '') throw new Unusable('missing_uuid', 'it has no id')
  const prompt = textOf(value.prompt)
  if (prompt === null || prompt.trim() === '') throw new Unusable('missing_query', 'it has no prompt')
  const group = textOf(value.group) ?? 'imported'
  return { id: idFrom(id), line, prompt, group, domain: 'Code', reference: textOf(value.reference) }
}

function casesOf(value: unknown): Case[] {
  if (!Array.isArray(value) || value.length === 0) throw new Unusable('missing_cases')
  return value.map((entry: unknown, at) => {
    const found = Case.safeParse(entry)
    if (!found.success || !isJson(found.data.input) || !isJson(found.data.expected))
      throw new Unusable('case_not_understood', `case ${at + 1}`)
    return found.data
  })
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
