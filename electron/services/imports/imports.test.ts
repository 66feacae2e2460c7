import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../testing/temp-folder.ts'
import { openStore } from '../store/store.ts'
import { importRun } from './imports.ts'

const completions = join(import.meta.dirname, 'fixtures/completions_00002.parquet')

async function lab() {
  const home = await tempFolder()
  const store = await openStore({
    home,
    now: () => new Date(),
    boxFiles: () => null,
    fetchEvidence: async () => null,
  })
  let told = 0
  const deps = {
    runsDir: join(home, 'runs'),
    store,
    now: () => new Date('2026-11-29T12:00:00Z'),
    random: Math.random,
    onImported: () => {
      told += 1
    },
  }
  const file = async (name: string, text: string) => {
    await mkdir(join(home, 'theirs'), { recursive: true })
    await writeFile(join(home, 'theirs', name), text)
    return join(home, 'theirs', name)
  }
  const run = (files: string[]) => importRun(deps, files)
  return { home, store, run, file, told: () => told }
}

const state = JSON.stringify({
  global_step: 3,
  log_history: [
    {
      step: 1,
      loss: 0.02,
      grad_norm: 1.5,
      learning_rate: 1e-6,
      kl: 0.001,
      reward: 0.4,
      reward_std: 0.2,
      epoch: 0.1,
    },
    { step: 2, loss: 0, grad_norm: null, reward: 0.7, reward_std: 0.5 },
    { step: 3, train_runtime: 99.5, total_flos: 0 },
  ],
}).replace('"grad_norm":null', '"grad_norm":NaN')

test('a trainer_state.json with a completions table is one finished run; what they do not tell is unknown', async () => {
  const { store, run, file, told } = await lab()
  const reply = await run([await file('trainer_state.json', state), completions])
  expect([{ ...reply, run: '' }, told()]).toEqual([
    {
      run: '',
      from: 'TRL and TRL completions',
      steps: 2,
      rollouts: 4,
      notes: [expect.stringContaining('tests_reward, format_reward are not in the file')],
    },
    1,
  ])
  const delta = await store.handlers['live.since']({ run: reply.run, afterSeq: -1 })
  const { state: head } = delta
  expect([head.phase, head.outcome, head.spec, head.imported, head.planned]).toEqual([
    'finished',
    'completed',
    null,
    { name: 'theirs', from: 'TRL and TRL completions' },
    null,
  ])
  const [first, second] = delta.steps
  expect([first?.loss, first?.gradNorm, first?.rewardMean, first?.rewardStd, first?.kl]).toEqual([
    0.02, 1.5, 0.4, 0.2, 0.001,
  ])
  expect([first?.silentGroups, first?.groups, first?.stepMs, first?.startedAt, first?.tokensMean]).toEqual([
    null,
    null,
    null,
    null,
    null,
  ])
  // Of a step whose rollouts are known they speak, and one that was not scored is in no mean.
  expect([second?.gradNorm, second?.rewardMean?.toFixed(4), second?.groups, second?.silentGroups]).toEqual([
    null,
    '0.7667',
    2,
    null,
  ])
  expect(second?.byStatus).toEqual({ test_failed: 3, unresolved: 1 })
  expect(delta.points.map(({ r, s }) => [r === null ? null : Number(r.toFixed(3)), s])).toEqual([
    [1, 'test_failed'],
    [0.091, 'test_failed'],
    [1, 'test_failed'],
    [null, 'unresolved'],
  ])
  const [row] = (
    await store.handlers['rollouts.page']({
      run: reply.run,
      filter: '',
      sort: 'order',
      cursor: null,
      skip: 0,
      limit: 1,
    })
  ).rows
  expect([row?.total, row?.advantage, row?.tests, row?.passed, row?.tokens]).toEqual([
    1.1,
    0.87,
    null,
    null,
    null,
  ])
  const detail = await store.handlers['rollouts.get']({ rollout: row?.rollout ?? '' })
  expect([detail.completion, detail.components]).toEqual([
    'def f(a, b): return a + b',
    { tests_reward: 1, format_reward: 0.1 },
  ])
  await store.dispose()
})

const trace = (more: object) => ({
  version: 1,
  id: 't',
  nodes: [
    { message: { role: 'user', content: 'sum two' } },
    {
      parent: 0,
      sampled: true,
      timestamp: 1_795_000_000,
      message: { role: 'assistant', content: 'a + b' },
    },
  ],
  calls: [{ node: 1, finish_reason: 'stop', usage: { prompt_tokens: 9, completion_tokens: 21 } }],
  ok: true,
  errors: [],
  ...more,
})
const task = { type: 'Sum', key: 'sum/two', data: {} }
const episode = (id: string, more: object, step: number | null, group: string) =>
  JSON.stringify({
    id,
    task,
    group: { id: group },
    run: {
      type: 'train',
      id: 'x',
      name: 'sums',
      work: step === null ? { type: 'eval', step: 0 } : { type: 'train', step },
    },
    traces: [trace(more)],
  })

test('an episode a line is a rollout each, by step and group; evaluations are draws, and a torn last line is left out', async () => {
  const { store, run, file } = await lab()
  const full = { rewards: { tests: { score: 1, weight: 1 } } }
  const half = { rewards: { tests: { score: 0.5 } }, stop_condition: 'max_output_tokens' }
  const crashed = { rewards: { tests: null }, ok: false, errors: [{ type: 'ToolError', message: '' }] }
  const lines = [
    episode('a', full, 1, 'g'),
    episode('b', half, 1, 'g'),
    episode('c', crashed, 1, 'h'),
    episode('d', full, null, 'e'),
    '{"id":"to',
  ]
  const reply = await run([await file('traces.jsonl', lines.join('\n'))])
  expect({ ...reply, run: '' }).toEqual({
    run: '',
    from: 'verifiers traces',
    steps: 1,
    rollouts: 4,
    notes: [expect.stringContaining('torn')],
  })
  const delta = await store.handlers['live.since']({ run: reply.run, afterSeq: -1 })
  expect(delta.points.map(({ g, i, r, s, task: name }) => [g, i, r, s, name])).toEqual([
    [0, 0, 1, 'passed', 'sum-two'],
    [0, 1, 0.5, 'test_failed', 'sum-two'],
    [1, 0, null, 'unresolved', 'sum-two'],
  ])
  expect([delta.state.evals, delta.steps[0]?.truncated, delta.steps[0]?.tokensMean]).toEqual([
    [expect.objectContaining({ policy: 'eval', drawn: 1, passed: 1 })],
    1,
    21,
  ])
  const summary = store.summary(reply.run)
  expect([summary.name, summary.suite, summary.leases]).toEqual(['sums', 'verifiers traces', 0])
  await store.dispose()
})

test('what is no such file is one clear line, and nothing is left of it', async () => {
  const { home, store, run, file } = await lab()
  const said = async (files: string[]) =>
    run(files).then(
      () => 'read',
      (failure: Error) => failure.message.replaceAll(join(home, 'theirs'), ''),
    )
  expect([
    await said([join(home, 'none.json')]),
    await said([await file('a.txt', 'x')]),
    await said([await file('b.json', '{"log_history": 3}')]),
    await said([await file('c.json', '{')]),
    await said([await file('d.parquet', 'PAR1 and then nothing')]),
    await said([await file('e.jsonl', `${episode('a', {}, 1, 'g')}\n{"id":"b"}\n`)]),
    await said([await file('f.json', '{"log_history": []}')]),
  ]).toEqual([
    expect.stringMatching(/none.json cannot be read: ENOENT/),
    'a.txt: neither .json, .jsonl nor .parquet.',
    expect.stringMatching(/^\/b.json: log_history: .*array/),
    '/c.json is no JSON.',
    expect.stringMatching(/^\/d.parquet is no parquet file that can be read: /),
    expect.stringMatching(/^\/e.jsonl, line 2: traces: /),
    '/f.json: there is no step and no rollout in it.',
  ])
  expect(await readdir(join(home, 'runs')).catch(() => [])).toEqual([])
  await store.dispose()
})
