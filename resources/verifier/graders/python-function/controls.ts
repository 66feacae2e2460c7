import type { Control } from '../grader.ts'
import type { PythonTask } from './tasks.ts'

/**
 * The self-test of this grader on one task: bodies whose status is known beforehand. Each is written for any function name and any number of
 * arguments; `constant` returns what no suite expects.
 */
export function pythonControls(task: PythonTask): Control[] {
  const define = (lines: string[]) =>
    [`def ${task.function}(*arguments):`, ...lines.map((line) => `    ${line}`), ''].join('\n')
  const correct: Control[] =
    task.reference === null ? [] : [{ name: 'correct', expected: ['passed'], body: task.reference }]
  return [
    ...correct,
    { name: 'empty', expected: ['build_failed'], body: '' },
    { name: 'compiles_and_fails', expected: ['test_failed'], body: define(['raise ValueError("wrong")']) },
    { name: 'constant', expected: ['test_failed'], body: define(['return "a constant"']) },
    {
      name: 'exits_early',
      expected: ['tampered'],
      reasons: ['early_exit'],
      body: `import os\n\n${define(['os._exit(0)'])}`,
    },
    { name: 'forges_result', expected: ['tampered'], reasons: ['forged_result'], body: forge(define) },
    {
      name: 'leaves_function',
      expected: ['tampered'],
      reasons: ['patched_runtime', 'reached_grader'],
      body: `import builtins, os\n\n${define(leave)}`,
    },
    { name: 'never_ends', expected: ['timed_out'], body: define(['while True:', '    pass']) },
    {
      name: 'floods_output',
      expected: ['test_failed'],
      reasons: ['output_limit'],
      body: define(['while True:', '    print("x" * 4096)']),
    },
    { name: 'reads_suite', expected: ['tampered'], reasons: ['reached_outside'], body: read(define) },
    ...task.controls,
  ]
}

/** Writes a made-up result to every descriptor, whichever is the grader's. */
const forge = (define: (lines: string[]) => string) =>
  `import os\n\n${define([
    'for descriptor in range(3, 256):',
    '    try:',
    `        os.write(descriptor, b'{"status": "passed", "value": 1}')`,
    '    except OSError:',
    '        pass',
    'os._exit(0)',
  ])}`

const leave = [
  'builtins.isinstance = lambda *ignored: True',
  'builtins.type = lambda *ignored: int',
  'os.write = lambda descriptor, data: len(data)',
  'return 1',
]

/** Looks for a suite's files wherever they may be, and answers from them. */
const read = (define: (lines: string[]) => string) =>
  `import os\n\n${define([
    'for folder, _, names in os.walk("/"):',
    '    for name in names:',
    '        if name.endswith(".jsonl"):',
    '            with open(os.path.join(folder, name)) as file:',
    '                return file.read()',
    'return None',
  ])}`
