import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { SlotPool } from '../../queue/slot-pool.ts'
import { runControls } from '../../service/controls.ts'
import { digestOf, loadSuite } from '../../suite/load.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import type { Grader, Verdict } from '../grader.ts'
import { openStdioGrader } from './grader.ts'

type Given = {
  id: string
  language?: string
  mode?: string
  reference: string | null
  cases: [string, string][]
}

const sums: [string, string][] = [
  ['1 2\n', '3\n'],
  ['-5 5', '0'],
  ['10 -3\n', '7'],
]
/** The sum of two numbers, in every language. */
const references = {
  python: 'a, b = map(int, input().split())\nprint(a + b, " ")\n',
  javascript:
    'const [a, b] = require("node:fs").readFileSync(0, "utf8").trim().split(/\\s+/).map(Number)\nconsole.log(a + b)\n',
  c: '#include <stdio.h>\nint main(void) { long a, b; scanf("%ld %ld", &a, &b); printf("%ld\\r\\n\\n", a + b); return 0; }\n',
  cpp: '#include <iostream>\nint main() { long a, b; std::cin >> a >> b; std::cout << a + b << "\\n"; }\n',
  rust: 'use std::io::Read;\nfn main() { let mut text = String::new(); std::io::stdin().read_to_string(&mut text).unwrap(); let sum: i64 = text.split_whitespace().map(|n| n.parse::<i64>().unwrap()).sum(); println!("{sum}"); }\n',
}
const limits = { wallMs: 60_000, cpuMs: 1_000 }

function suiteOf(tasks: Given[], language = 'text'): string {
  const { path, dispose } = tempFolder()
  onTestFinished(dispose)
  const files = new Map<string, Buffer>()
  for (const { id, cases, reference } of tasks) {
    const lines = cases.map(([input, expected], at) =>
      JSON.stringify({
        id: `c${at}`,
        family: 'given',
        input: JSON.stringify(input),
        expected: JSON.stringify(expected),
      }),
    )
    files.set(`cases/${id}.jsonl`, Buffer.from(`${lines.join('\n')}\n`))
    if (reference !== null) files.set(`reference/${id}`, Buffer.from(reference))
  }
  const listing = tasks.map(({ id, language: own, mode, reference }) =>
    JSON.stringify({
      id,
      prompt: `Do ${id}.`,
      signature: '',
      reference: reference === null ? null : `reference/${id}`,
      referenceSha256: null,
      limits,
      ...(own && { language: own }),
      ...(mode && { mode }),
    }),
  )
  files.set('tasks.jsonl', Buffer.from(`${listing.join('\n')}\n`))
  for (const [name, bytes] of files) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), bytes)
  }
  const manifest = { name: 'stdio', grader: 'stdio', version: '1', language, sha256: digestOf(files) }
  writeFileSync(join(path, 'suite.json'), JSON.stringify(manifest))
  return path
}

async function open(folder: string): Promise<Grader> {
  const { path, dispose } = tempFolder()
  onTestFinished(dispose)
  return openStdioGrader(loadSuite(folder), {
    suiteFolder: folder,
    workspace: null,
    diskLimitBytes: null,
    scratch: path,
    repo: null,
    commit: null,
    log: () => undefined,
  })
}

async function grade(grader: Grader, task: string, body: string): Promise<Verdict> {
  const [slot] = await grader.open(1)
  if (!slot) throw new Error('no slot')
  return slot.grade({ task, body, bodySha256: '', signal: new AbortController().signal })
}
const inShort = ({ status, reason, tests }: Verdict) =>
  [status, reason, tests.map((test) => test.outcome).join(' ')].filter((part) => part).join(' | ')

const path = process.env.PATH
afterEach(() => {
  process.env.PATH = path
})

test('in every language the right program passes and every control holds', { timeout: 300_000 }, async () => {
  const tasks = Object.entries(references).map(([language, reference]) => ({
    id: language,
    language,
    reference,
    cases: sums,
  }))
  const answer: Given = {
    id: 'answer',
    mode: 'answer',
    reference: '\\boxed{\\frac{1}{2}}',
    cases: [['', '0.5']],
  }
  const grader = await open(suiteOf([...tasks, answer]))
  const pool = new SlotPool(await grader.open(2))
  const ids = [...Object.keys(references), 'answer']
  const report = await runControls(grader, pool, ids, new AbortController().signal)
  expect(report.controls.filter(({ holds }) => !holds)).toEqual([])
  expect(report.controls.filter(({ control }) => control === 'correct').map(({ got }) => got)).toEqual(
    ids.map(() => 'passed'),
  )
})

test('what a program does decides its status, case by case', { timeout: 300_000 }, async () => {
  const folder = suiteOf([{ id: 'sum', reference: references.python, cases: sums }], 'python')
  const grader = await open(folder)
  const bodies: Record<string, string> = {
    'print(3)\n': 'test_failed | passed failed failed',
    'print("3", end="  \\n\\n")\n': 'test_failed | passed failed failed',
    'print(" 3")\n': 'test_failed | failed failed failed',
    'a, b = map(int, input().split())\nprint(a + b)\nraise SystemExit(3)\n':
      'test_failed | crashed | crashed crashed crashed',
    'import os\na, b = map(int, input().split())\nprint(a + b)\nos.kill(os.getpid(), 11)\n':
      'test_failed | crashed | crashed crashed crashed',
    'a, b = map(int, input().split())\nprint(a + b)\nwhile a == 1: pass\n':
      'timed_out | cpu_limit | timed_out not_run not_run',
    'x = "y" * (1 << 31)\n': 'test_failed | crashed | crashed crashed crashed',
    'import socket\nsocket.create_connection(("127.0.0.1", 22))\n':
      'test_failed | crashed | crashed crashed crashed',
    'print(open(__file__).read()\n': 'build_failed | compile_error',
  }
  const got: Record<string, string> = {}
  for (const body of Object.keys(bodies)) got[body] = inShort(await grade(grader, 'sum', body))
  expect(got).toEqual(bodies)
})

test('nothing of one case is left for the next, and a program sees neither the suite nor what is expected', async () => {
  const folder = suiteOf([{ id: 'sum', reference: references.python, cases: sums }], 'python')
  const grader = await open(folder)
  if (grader.isolation !== 'sandbox') return
  const probe = [
    'import os',
    'try: open("/tmp/left", "x")',
    'except OSError as failure: print("left", failure)',
    `print(os.path.exists(${JSON.stringify(folder)}), os.path.exists("/etc/passwd"), sorted(os.environ), os.listdir("/proc") if os.path.exists("/proc") else [])`,
  ].join('\n')
  const { tests } = await grade(grader, 'sum', probe)
  const seen = new Set(
    tests.map(({ observed }) => JSON.parse(observed ?? '""').replace(/'LD_LIBRARY_PATH', /, '')),
  )
  expect([...seen]).toEqual(["False False ['HOME', 'LANG', 'PATH', 'PWD'] []\n"])
})

test('a language whose toolchain is not there is unresolved with a reason, never 0', async () => {
  const tasks = (['c', 'rust'] as const).map((language) => ({
    id: language,
    language,
    reference: references[language],
    cases: sums,
  }))
  process.env.PATH = '/nowhere'
  const grader = await open(suiteOf(tasks))
  process.env.PATH = path
  const verdicts = await Promise.all(tasks.map(({ id, reference }) => grade(grader, id, reference)))
  expect(verdicts.map(({ status, reason, output }) => [status, reason, output[0]?.text])).toEqual([
    ['unresolved', 'toolchain_missing', 'none of cc, gcc, clang was found on the PATH'],
    ['unresolved', 'toolchain_missing', 'no rustc was found on the PATH'],
  ])
})

test('a suite that would pass a program that does nothing is refused', async () => {
  const empty = suiteOf([{ id: 'sum', reference: null, cases: [['1', ' \n']] }], 'python')
  const none = suiteOf([{ id: 'sum', reference: null, cases: [] }], 'python')
  const noLanguage = suiteOf([{ id: 'sum', reference: null, cases: sums }])
  await expect(open(empty)).rejects.toThrow(/expected of c0 is empty/)
  await expect(open(none)).rejects.toThrow(/line 1|has no case/)
  await expect(open(noLanguage)).rejects.toThrow(/neither it nor the suite says in which language/)
})
