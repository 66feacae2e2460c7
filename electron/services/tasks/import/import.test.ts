import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../testing/temp-folder.ts'
import { LeaseLedger } from '../../leases/ledger.ts'
import { loadSuite } from '../../runs/suites.ts'
import { importTasks } from './import.ts'
import type { ItemFault } from './item.ts'
import { readItems } from './read-items.ts'
import { readUltraData } from './ultradata.ts'

const math = (uuid: string, query: string, ground_truth: unknown, more = {}) => ({
  uuid,
  query,
  domain: 'Math',
  source: 'UltraData-RL-2609',
  ground_truth,
  ...more,
})
const code = (uuid: string, ground_truth: unknown, more = {}) => ({
  uuid,
  query: `Solve ${uuid}.`,
  domain: 'Code',
  source: 'UltraData-RL-2609',
  ground_truth,
  ...more,
})
const sum = { inputs: ['1 2\n', '3 4\n'], outputs: ['3\n', '7  \n'], call_type: 'std', fn_name: null }

const good = [
  math('m-1', 'What is 1/2 + 1/4?', '\\frac{3}{4}', { solution: 'So it is \\boxed{0.75}.' }),
  { uuid: 'k-1', query: 'Capital of France?', domain: 'Knowledge', source: 's', ground_truth: 'Paris' },
  {
    uuid: 'l-1',
    query: `${'They prove that it is so. '.repeat(80)}\nQuestion: what?`,
    domain: 'Long_Context',
    source: 's',
    ground_truth: 'it',
  },
  code('c-1', sum),
  code('c-2', JSON.stringify({ inputs: ['2'], outputs: ['4'] })),
]
const bad: [ItemFault, unknown][] = [
  ['not_json', '{"uuid": "x", "query": '],
  ['not_an_object', '[1, 2]'],
  ['missing_uuid', { query: 'a', domain: 'Math', ground_truth: '1' }],
  ['duplicate_uuid', math('m-1', 'Something else?', '5')],
  ['unknown_domain', { uuid: 'b1', query: 'b', domain: 'Poetry', ground_truth: '1' }],
  ['missing_query', { uuid: 'b2', domain: 'Math', ground_truth: '1' }],
  ['query_not_text', math('b3', 'half \ud800 a character', '1')],
  ['duplicate_query', math('b4', 'What is  1/2 + 1/4?', '0.75')],
  ['conflicting_duplicate', { uuid: 'b5', query: 'How many?', domain: 'Math', ground_truth: '1' }],
  ['conflicting_duplicate', { uuid: 'b6', query: 'How many?', domain: 'Math', ground_truth: '2' }],
  ['asks_for_a_proof', math('b7', 'Prove that 1 + 1 = 2.', '2')],
  ['missing_ground_truth', math('b8', 'b8', null)],
  ['answer_not_text', math('b9', 'b9', ['1'])],
  ['empty_answer', math('b10', 'b10', ' $ $ ')],
  ['answer_too_long', math('b11', 'b11', '7'.repeat(5_000))],
  ['answer_not_atomic', math('b12', 'b12', 'one\ntwo')],
  ['reference_disagrees', math('b13', 'b13', '2', { solution: '\\boxed{3}' })],
  ['tests_not_an_object', code('b14', ['x'])],
  ['unknown_test_field', code('b15', { ...sum, checker: 'lenient' })],
  ['calls_a_function', code('b16', { ...sum, call_type: 'fn', fn_name: 'solve' })],
  ['inputs_not_a_list', code('b17', { outputs: ['1'] })],
  ['outputs_not_a_list', code('b18', { inputs: ['1'] })],
  ['no_tests', code('b19', { inputs: [], outputs: [] })],
  ['unpaired_tests', code('b20', { inputs: ['1'], outputs: ['1', '2'] })],
  ['input_not_text', code('b21', { inputs: [1], outputs: ['1'] })],
  ['output_not_text', code('b22', { inputs: ['1'], outputs: [1] })],
  ['empty_expected_output', code('b23', { inputs: ['1'], outputs: [' \n'] })],
  ['contradictory_tests', code('b24', { inputs: ['1', '1'], outputs: ['1', '2'] })],
  ['not_json', '{"uuid": "cut off'],
]

test('each malformed line is dropped with its own reason and line, and the rest is imported as it is', async () => {
  const file = join(await tempFolder(), 'mixed.jsonl')
  const rows = [...good.map((value) => [null, value] as const), ...bad]
  const text = rows.map(([, value]) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n')
  await writeFile(file, Buffer.concat([Buffer.from(`${text}\n\n`), Buffer.from([0x22, 0xff, 0x22])]))
  const { items, dropped, found } = await readItems(file, readUltraData)
  const expected = bad.map(([reason], at) => [good.length + at + 1, reason])
  expect(dropped.map(({ line, reason }) => [line, reason])).toEqual([
    ...expected,
    [rows.length + 2, 'not_utf8'],
  ])
  expect(found).toBe(rows.length + 1)
  expect(items.map(({ id, mode, cases }) => [id, mode, cases.map((one) => one.expected)])).toEqual([
    ['m-1', 'answer', ['"\\\\frac{3}{4}"']],
    ['k-1', 'answer', ['"Paris"']],
    ['l-1', 'answer', ['"it"']],
    ['c-1', 'program', ['"3\\n"', '"7  \\n"']],
    ['c-2', 'program', ['"4"']],
  ])
})

test('an item with a reference is a task only if that passes, and the suite loads with its controls proven', {
  timeout: 300_000,
}, async () => {
  const folder = await tempFolder()
  const file = join(folder, 'small.jsonl')
  const solution = 'a, b = map(int, input().split())\nprint(a + b)\n'
  const lines = [good[0], code('right', sum, { solution }), code('wrong', sum, { solution: 'print(3)\n' })]
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'))
  const ledger = await LeaseLedger.open(join(folder, 'leases.jsonl'), () => new Date())
  const out = join(folder, 'suite')
  const request = {
    format: 'ultradata',
    file,
    out,
    name: 'small',
    tokenizer: null,
    cap: 500,
    controls: 3,
  } as const
  const report = await importTasks(request, { ledger, scratch: folder, env: process.env })
  await ledger.close()
  expect([report.found, report.kept, report.dropped]).toEqual([
    3,
    2,
    [{ task: 'wrong', line: 3, reason: 'reference_fails', detail: 'test failed 1 of 2 tests' }],
  ])
  const suite = await loadSuite(out)
  expect([
    suite.manifest.version,
    suite.tasks.map(({ id }) => id),
    JSON.parse(await readFile(join(out, 'build.json'), 'utf8')),
  ]).toEqual(['1', ['m-1', 'right'], report])
})

test('a file that holds nothing or is not there is refused in a sentence', async () => {
  const folder = await tempFolder()
  await writeFile(join(folder, 'empty.jsonl'), '')
  await expect(readItems(join(folder, 'empty.jsonl'), readUltraData)).rejects.toThrow(/is empty/)
  await expect(readItems(join(folder, 'none.jsonl'), readUltraData)).rejects.toThrow(/cannot be read: ENOENT/)
  await expect(readItems(folder, readUltraData)).rejects.toThrow(/is a folder/)
})
