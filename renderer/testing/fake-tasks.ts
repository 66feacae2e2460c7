import { AppError } from '#shared/base/errors.ts'
import type { Handlers, PassRate, TaskList, TaskRow, TaskSet } from '#shared/ipc/contract.ts'
import { difficultyOf } from '#shared/selection/difficulty.ts'

/** Two sets, one of a repository and one of a file, so that every column has something and something is missing. */
const strings: TaskSet = {
  path: '/home/me/sets/strings',
  ...{ name: 'strings', version: '2', sha256: 'a'.repeat(64), grader: 'cargo', language: 'rust', tasks: 9 },
  ...{ description: '9 held-out functions at 43d44436d598.', frozen: true, found: 29, dropped: 20 },
}
const problems: TaskSet = {
  path: '/home/me/sets/problems',
  ...{
    name: 'problems',
    version: '1',
    sha256: 'b'.repeat(64),
    grader: 'stdio',
    language: 'python',
    tasks: 3,
  },
  ...{ description: '3 tasks imported from part-1.jsonl.', frozen: false, found: 33, dropped: 30 },
}

const names = [
  'bigrams',
  'damerau-levenshtein',
  'generic-hamming',
  'hamming',
  'jaro',
  'jaro-winkler',
  'levenshtein',
  'osa-distance',
  'sorensen-dice',
]
const passes: (number | null)[] = [16, 0, 9, 15, null, 3, 11, 1, 8]

function rate(passed: number | null, of: number, silent = 0): PassRate | null {
  return passed === null ? null : { passed, graded: of, silent }
}

const rowsOf = (set: TaskSet): TaskRow[] =>
  set === problems
    ? ['sum-of-two', 'capital', 'half'].map((task, at) => ({
        ...{
          task,
          group: at === 0 ? 'UltraData-RL-2609' : 'trivia',
          place: at === 0 ? 'Code' : 'Knowledge',
          tests: at === 0 ? 24 : 1,
        },
        ...{ promptTokens: 120 + 90 * at, logicLines: null, commits: null, buildMs: null, testMs: null },
        ...{
          controls: at === 2 ? null : { held: 10, of: 10 },
          initial: null,
          later: null,
          difficulty: 'unmeasured' as const,
        },
      }))
    : names.map((name, at) => {
        const initial = rate(passes[at] ?? null, 16, at === 3 ? 1 : 0)
        return {
          ...{
            task: `strsim-${name}`,
            group: 'strsim',
            place: `src/lib.rs ${name.replaceAll('-', '_')}`,
            tests: 3 + ((at * 5) % 17),
          },
          ...{
            promptTokens: 380 + 74 * at,
            logicLines: 10 + ((at * 7) % 31),
            commits: at === 4 ? null : 1 + ((at * 3) % 9),
          },
          ...{ buildMs: 410 + 23 * at, testMs: 60 + 41 * at, controls: { held: 12, of: 12 } },
          ...{ initial, later: initial && rate(Math.min(64, initial.passed * 4 + 9), 64) },
          difficulty: initial ? difficultyOf({ ...initial, confirmed: true }) : ('unmeasured' as const),
        }
      })

const drops: TaskList['dropped'] = [
  ...['get', 'get-mut', 'allocate', 'lookup', 'grow', 'into-iter'].map((name) => ({
    task: `strsim-growinghashmapchar-${name}`,
    reason: 'no_test_calls_it',
    detail: `no test names GrowingHashmapChar<ValueType>::${name.replaceAll('-', '_')}`,
  })),
  { task: 'strsim-normalized-levenshtein', reason: 'short_body', detail: '3 of 10 lines' },
  { task: 'strsim-flat-index', reason: 'short_body', detail: '1 of 10 lines' },
  { task: 'strsim-generic-jaro', reason: 'high_churn', detail: '13 commits changed it, 10 are allowed' },
  {
    task: 'strsim-next',
    reason: 'constant_body_passes',
    detail: 'constant: expected test_failed, got passed',
  },
  {
    task: 'strsim-damerau-impl',
    reason: 'contaminated',
    detail: 'corpus/part-0003.jsonl, line 40,112 and 2 more places',
  },
]

function listOf(set: TaskSet): TaskList {
  const corpus = {
    ...{ files: 12, bytes: 1_084_227_584, ngram: 8, threshold: 0.5, unscannable: [] },
    findings: [
      {
        ...{
          task: 'strsim-damerau-impl',
          file: 'corpus/part-0003.jsonl',
          offset: 91_204_331,
          line: 40_112,
          share: 0.97,
        },
        context:
          '"text":"fn damerau(a: &str, b: &str) -> usize {\\n    let a_len = a.chars().count();\\n    let max_distance = a_len + b_len;',
      },
    ],
  }
  const histogram = [0, 0, 2, 5, 3, 1, 0, 1].map((prompts, at) => ({
    from: at * 120,
    to: (at + 1) * 120,
    prompts,
  }))
  const file = set === problems
  return {
    set,
    rows: rowsOf(set),
    dropped: file
      ? [{ task: 'line-7', line: 7, reason: 'unpaired_tests', detail: '3 inputs, 2 outputs' }]
      : drops,
    report: {
      source: file
        ? { kind: 'file', format: 'ultradata', name: 'part-1.jsonl', sha256: 'c'.repeat(64) }
        : {
            kind: 'repository',
            commit: '43d44436d598e7d4de576e69b5c0c488026e2777',
            manifest: 'Cargo.toml',
            from: 'candidates',
          },
      tokens: {
        by: 'an estimate of one token per 3.2 bytes',
        exact: false,
        cap: file ? null : 1200,
        longest: 972,
        histogram,
      },
      thresholds: file
        ? {}
        : { logicLines: 10, commits: 10, buildMs: 60_000, testMs: 10_000, contextLines: 24 },
      corpus: file ? null : corpus,
      notes: file
        ? ['The grader’s controls were run on 2 of 3 tasks.']
        : ['The repository has no marks: every function that a test calls was taken for a candidate.'],
      tests: file ? null : 'withheld',
      memory: file
        ? null
        : {
            ...{
              promptTokens: 972,
              completionTokens: 512,
              sequences: 8,
              microBatch: 4,
              parameters: 1_543_714_304,
            },
            ...{
              weightBytes: 3_087_428_608,
              cacheBytes: 340_426_752,
              logitBytes: 7_215_194_112,
              totalBytes: 10_302_622_720,
            },
            ...{ boxBytes: 25_769_803_776, fits: true },
          },
    },
  }
}

const body = `{
    let a_bigrams = bigrams(a);
    let mut shared = 0;
    for pair in bigrams(b) {
        if let Some(count) = a_bigrams.get_mut(&pair) {
            if *count > 0 {
                *count -= 1;
                shared += 1;
            }
        }
    }
    (2 * shared) as f64 / (a.len() + b.len() - 2) as f64
}`
const prompt = `Write the body of \`sorensen_dice\` in src/lib.rs of the crate strsim, as one block with its braces, in one fenced block.

\`\`\`rust
/// Calculates a similarity of two texts by the pairs of letters that they share.
pub fn sorensen_dice(a: &str, b: &str) -> f64 { /* the body */ }
\`\`\``

const controls = [
  'correct',
  'empty',
  'compiles_and_fails',
  'constant',
  'exits_early',
  'never_ends',
  'stale_sibling_build',
]

const sets = [strings, problems]
const find = (path: string): TaskSet => {
  const set = sets.find((one) => one.path === path)
  if (set) return set
  throw new AppError('bad_suite', `${path} holds no suite.json.`)
}

export const fakeTaskHandlers: Pick<Handlers, 'tasks.sets' | 'tasks.list' | 'tasks.get'> = {
  'tasks.sets': () => sets,
  'tasks.list': ({ set }) => listOf(find(set)),
  'tasks.get': ({ set: path, task }) => {
    const set = find(path)
    const row = rowsOf(set).find((one) => one.task === task)
    if (!row) throw new AppError('unknown_task', `The suite ${set.name} has no task ${task}.`)
    return {
      ...{
        set,
        row,
        language: set.language,
        prompt,
        signature: 'pub fn sorensen_dice(a: &str, b: &str) -> f64',
        body,
      },
      tests: ['tests::works', 'tests::empty', 'tests::unicode'].map((name) => ({
        name,
        control: false,
        input: null,
        expected: null,
      })),
      moreTests: 0,
      controls: controls.map((control, at) => ({
        ...{
          task,
          control,
          expected: at === 0 ? 'passed' : 'test_failed',
          got: at === 0 ? 'passed' : 'test_failed',
        },
        ...{ holds: true, ms: 480 + 210 * at },
      })),
      history: [
        {
          run: 'r-20261127-f7a3cc',
          version: '1',
          phase: 'baseline',
          at: null,
          passed: 3,
          graded: 16,
          silent: 0,
        },
        {
          run: 'r-20261127-f7a3cc',
          version: '1',
          phase: 'training',
          at: null,
          passed: 71,
          graded: 192,
          silent: 2,
        },
        {
          run: 'r-20261128-q4xkzm',
          version: '2',
          phase: 'baseline',
          at: null,
          passed: 5,
          graded: 16,
          silent: 0,
        },
        {
          run: 'r-20261128-q4xkzm',
          version: '2',
          phase: 'final',
          at: null,
          passed: 13,
          graded: 16,
          silent: 0,
        },
      ],
    }
  },
}
