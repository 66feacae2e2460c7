import { normaliseAnswer, normaliseOutput } from '#shared/tasks/answers.ts'
import { type Item, idFrom, textOf, Unusable } from './item.ts'

const domains = ['Math', 'Knowledge', 'Long_Context', 'Code'] as const
const limits = {
  queryBytes: 4 * 1024 * 1024,
  answerBytes: 4_096,
  words: 48,
  tests: 4_096,
  testBytes: 4 * 1024 * 1024,
  allBytes: 64 * 1024 * 1024,
}
const testFields = new Set(['inputs', 'outputs', 'call_type', 'fn_name'])
const proof = /\b(prove|show) that\b|\bgive a proof\b|\bjustify your answer\b|\bexplain why\b|证明/i

const answerWords = 'Give the final answer alone, in one fenced block.'
const programWords =
  'Write a complete Python program that reads standard input and writes standard output, in one fenced block.'

/**
 * One line of UltraData-RL: `uuid`, `query`, `domain`, `source`, and `ground_truth`, which for code holds paired `inputs` and `outputs` and
 * for the other domains is a short answer. A `solution` beside it, where there is one, must agree.
 * @throws {Unusable} for whatever does not hold.
 */
export function readUltraData(value: Record<string, unknown>, line: number): Item {
  const uuid = textOf(value.uuid)
  if (uuid === null || uuid.trim() === '') throw new Unusable('missing_uuid')
  const domain = domains.find((name) => name === String(value.domain).replace('-', '_'))
  if (domain === undefined)
    throw new Unusable('unknown_domain', `domain ${JSON.stringify(value.domain ?? null)}`)
  const query = queryOf(value.query)
  const truth = value.ground_truth
  if (truth === undefined || truth === null) throw new Unusable('missing_ground_truth')
  const source = textOf(value.source) ?? ''
  const common = {
    id: idFrom(uuid),
    line,
    signature: '',
    function: null,
    domain,
    group: source === '' ? domain : source,
  }
  const solution = textOf(value.solution) ?? textOf(value.reference_solution)
  if (domain === 'Code')
    return {
      ...common,
      mode: 'program',
      language: 'python',
      prompt: `${query.trimEnd()}\n\n${programWords}`,
      cases: pairedCases(truth),
      reference: solution,
    }
  const answer = answerOf(truth)
  // A long text may hold any word; what is asked stands at its end.
  if (proof.test(domain === 'Long_Context' ? questionOf(query) : query))
    throw new Unusable('asks_for_a_proof')
  if (solution?.includes('\\boxed') && normaliseAnswer(solution) !== normaliseAnswer(answer))
    throw new Unusable(
      'reference_disagrees',
      `${normaliseAnswer(solution)} there, ${normaliseAnswer(answer)} here`,
    )
  return {
    ...common,
    mode: 'answer',
    language: null,
    prompt: `${query.trimEnd()}\n\n${answerWords}`,
    cases: [{ id: 'answer', family: domain, input: '""', expected: JSON.stringify(answer) }],
    reference: answer,
  }
}

/** A long text may hold any word; what is asked stands at its end. */
function questionOf(query: string): string {
  const at = query.search(/question\s*:(?![\s\S]*question\s*:)/i)
  return at === -1 ? query.slice(-300) : query.slice(at)
}

function queryOf(value: unknown): string {
  if (value === undefined || value === null || value === '') throw new Unusable('missing_query')
  const query = textOf(value)
  if (query === null || !query.isWellFormed() || query.includes('\0')) throw new Unusable('query_not_text')
  if (query.trim() === '') throw new Unusable('missing_query')
  if (Buffer.byteLength(query) > limits.queryBytes) throw new Unusable('query_too_large')
  return query
}

function answerOf(truth: unknown): string {
  const answer = typeof truth === 'number' ? String(truth) : textOf(truth)
  if (answer === null) throw new Unusable('answer_not_text')
  if (normaliseAnswer(answer) === '') throw new Unusable('empty_answer')
  if (Buffer.byteLength(answer) > limits.answerBytes) throw new Unusable('answer_too_long')
  const words = answer.trim()
  if (words.includes('\n') || words.split(/\s+/).length > limits.words)
    throw new Unusable('answer_not_atomic')
  return answer
}

function pairedCases(truth: unknown): Item['cases'] {
  const tests = typeof truth === 'string' ? parsed(truth) : truth
  if (typeof tests !== 'object' || tests === null || Array.isArray(tests))
    throw new Unusable('tests_not_an_object')
  const { inputs, outputs, call_type: call, fn_name: name } = tests as Record<string, unknown>
  const strange = Object.keys(tests).find((field) => !testFields.has(field))
  if (strange !== undefined) throw new Unusable('unknown_test_field', `field ${strange}`)
  if ((call ?? 'std') !== 'std' || (name ?? null) !== null)
    throw new Unusable('calls_a_function', `calls ${JSON.stringify(name ?? call)}`)
  if (!Array.isArray(inputs)) throw new Unusable('inputs_not_a_list')
  if (!Array.isArray(outputs)) throw new Unusable('outputs_not_a_list')
  if (inputs.length !== outputs.length)
    throw new Unusable('unpaired_tests', `${inputs.length} inputs, ${outputs.length} outputs`)
  if (inputs.length === 0) throw new Unusable('no_tests')
  if (inputs.length > limits.tests) throw new Unusable('too_many_tests', `${inputs.length} tests`)
  return checkedCases(inputs, outputs)
}

function checkedCases(inputs: unknown[], outputs: unknown[]): Item['cases'] {
  const known = new Map<string, string>()
  let bytes = 0
  return inputs.map((input, at) => {
    const output = outputs[at]
    if (typeof input !== 'string') throw new Unusable('input_not_text', `input ${at + 1}`)
    if (typeof output !== 'string') throw new Unusable('output_not_text', `output ${at + 1}`)
    const expected = normaliseOutput(output)
    if (expected === '') throw new Unusable('empty_expected_output', `output ${at + 1}`)
    const size = Buffer.byteLength(input) + Buffer.byteLength(output)
    bytes += size
    if (size > limits.testBytes || bytes > limits.allBytes)
      throw new Unusable('test_too_large', `test ${at + 1}`)
    const before = known.get(input)
    if (before !== undefined && before !== expected)
      throw new Unusable('contradictory_tests', `test ${at + 1}`)
    known.set(input, expected)
    return {
      id: `t${at + 1}`,
      family: 'Code',
      input: JSON.stringify(input),
      expected: JSON.stringify(output),
    }
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
