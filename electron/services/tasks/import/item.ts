import type { Case } from '#shared/domain/suite.ts'
import type { Dropped } from '#shared/tasks/rules.ts'

/** An item of some source, made ready to be a task; what is not understood never gets here. */
export type Item = {
  id: string
  line: number
  prompt: string
  signature: string
  mode: 'program' | 'answer' | 'function'
  language: 'python' | 'rust' | 'c' | 'cpp' | 'javascript' | null
  /** Of a Python function. */
  function: string | null
  /** The generator or source, by which splits hold out. */
  group: string
  domain: string
  cases: Case[]
  /** A program, or for an answer the answer itself; null where none is given. */
  reference: string | null
}

/** Why a line is no item. Each has its own name, and nothing is made to fit. */
export const itemFaults = {
  line_too_long: 'the line is longer than 64 MiB',
  not_utf8: 'the line is no UTF-8 text',
  not_json: 'the line is no JSON (cut off, perhaps)',
  not_an_object: 'the line is JSON, but no object',
  missing_uuid: 'it has no uuid',
  duplicate_uuid: 'its uuid is another line’s',
  unknown_domain: 'its domain is none of Math, Knowledge, Long_Context, Code',
  missing_query: 'it has no query',
  query_not_text: 'its query is no text, or holds half a character',
  query_too_large: 'its query is larger than 4 MiB',
  duplicate_query: 'another line asks the same and has the same answer',
  conflicting_duplicate: 'another line asks the same and has another answer: which is right is not known',
  asks_for_a_proof: 'it asks for a proof or an explanation, which no comparison can judge',
  missing_ground_truth: 'it has no ground_truth',
  answer_not_text: 'its answer is neither a text nor a number',
  empty_answer: 'its answer is empty once normalised',
  answer_too_long: 'its answer is longer than 4,096 bytes',
  answer_not_atomic: 'its answer is several lines or sentences, which no comparison can judge',
  reference_disagrees: 'its own solution ends with another answer',
  tests_not_an_object: 'its ground_truth is no object with inputs and outputs',
  unknown_test_field: 'its tests have a field that is not understood',
  calls_a_function: 'its tests call a function; only programs on standard input are imported',
  inputs_not_a_list: 'its inputs are no list',
  outputs_not_a_list: 'its outputs are no list',
  no_tests: 'it has no test',
  unpaired_tests: 'it has not as many outputs as inputs',
  input_not_text: 'an input is no text',
  output_not_text: 'an output is no text',
  empty_expected_output: 'an expected output is empty: a program that does nothing would pass',
  contradictory_tests: 'the same input is there twice with different outputs',
  too_many_tests: 'it has more than 4,096 tests',
  test_too_large: 'a test is larger than 4 MiB, or all of them larger than 64 MiB',
  missing_function: 'it names no function',
  missing_cases: 'it has no cases',
  case_not_understood: 'a case is not of the form {id, family, input, expected}',
  unknown_language: 'its language is none that can be graded',
  prompt_too_long: 'its prompt is longer than the cap',
  reference_fails: 'its reference does not pass its own tests',
  control_fails: 'a control of the grader does not hold',
} as const
export type ItemFault = keyof typeof itemFaults

export type ItemDrop = Dropped<ItemFault> & { line: number }

/** Thrown while one line is read, caught by the reader of lines. */
export class Unusable extends Error {
  readonly fault: ItemFault
  readonly detail: string

  constructor(fault: ItemFault, detail = '') {
    super(itemFaults[fault])
    this.fault = fault
    this.detail = detail === '' ? itemFaults[fault] : detail
  }
}

export type Reader = (value: Record<string, unknown>, line: number) => Item

const taskId = /^[a-z0-9][a-z0-9_-]*$/

/** A task's id from an id of any letters. */
export function idFrom(text: string): string {
  const id = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/^[^a-z0-9]+/g, '')
    .slice(0, 100)
  if (!taskId.test(id)) throw new Unusable('missing_uuid', `no letter or digit of ${text} can be in an id`)
  return id
}

export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
