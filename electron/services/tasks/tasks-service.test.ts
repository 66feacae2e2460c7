import { mkdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import type { BuildReport } from '#shared/tasks/report.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import { addToSetList } from './set-list.ts'
import { splitSuite } from './split.ts'
import { writeSuiteFolder } from './suite-files.ts'
import { TasksService } from './tasks-service.ts'

const cases = (id: string) =>
  `${JSON.stringify({ id: `${id}-1`, family: 'small', input: '"1"', expected: '"2"' })}\n`
const identity = { name: 'words', grader: 'stdio', language: 'python', description: '' } as const

function filesOf(tasks: [id: string, group: string][]): Map<string, string> {
  const files = new Map(tasks.map(([id]) => [`cases/${id}.jsonl`, cases(id)]))
  const line = ([id, group]: [string, string]) =>
    JSON.stringify({
      id,
      prompt: 'Do.',
      signature: '',
      reference: null,
      referenceSha256: null,
      group,
      promptTokens: 7,
    })
  files.set('tasks.jsonl', tasks.map((task) => `${line(task)}\n`).join(''))
  return files
}

test('a set is versioned by what changes, frozen by use, and shows how runs met each task', async () => {
  const home = await tempFolder()
  const path = join(home, 'words')
  const first = await writeSuiteFolder(path, identity, filesOf([['a', 'x']]))
  const same = await writeSuiteFolder(path, identity, filesOf([['a', 'x']]))
  const next = await writeSuiteFolder(
    path,
    identity,
    filesOf([
      ['a', 'x'],
      ['b', 'y'],
    ]),
  )
  expect([first.version, same.version, next.version]).toEqual(['1', '1', '2'])
  await addToSetList(join(home, 'sets.json'), path)
  await addToSetList(join(home, 'sets.json'), join(home, 'gone'))
  const rate = {
    run: 'r-20261129-aaaaaa',
    task: 'a',
    suiteSha256: first.sha256,
    version: '1',
    startedAt: null,
  }
  const service = new TasksService({
    store: {
      passRates: () => [
        { ...rate, phase: 'baseline', passed: 0, graded: 16, silent: 1 },
        { ...rate, phase: 'training', passed: 3, graded: 40, silent: 0 },
      ],
    },
    frozenSuites: join(home, 'suites'),
    list: join(home, 'sets.json'),
    offered: async () => [],
  })
  const sets = await service.handlers['tasks.sets']({})
  expect(sets.map(({ name, version, frozen, tasks }) => [name, version, frozen, tasks])).toEqual([
    ['words', '2', false, 2],
  ])
  await mkdir(join(home, 'suites', next.sha256), { recursive: true })
  const { set, rows } = await service.handlers['tasks.list']({ set: path })
  expect([
    set.frozen,
    rows.map(({ task, group, initial, later, difficulty }) => ({ task, group, initial, later, difficulty })),
  ]).toEqual([
    true,
    [
      {
        task: 'a',
        group: 'x',
        initial: { passed: 0, graded: 16, silent: 1 },
        later: { passed: 3, graded: 40, silent: 0 },
        difficulty: 'doubtful',
      },
      { task: 'b', group: 'y', initial: null, later: null, difficulty: 'unmeasured' },
    ],
  ])
  const page = await service.handlers['tasks.get']({ set: path, task: 'a' })
  expect([page.history.map(({ phase }) => phase), page.tests]).toEqual([
    ['baseline', 'training'],
    [{ name: 'a-1', control: false, input: '"1"', expected: '"2"' }],
  ])
})

test('both sides of a split keep the controls of their tasks, what was found out about them, and the way to their workspace', async () => {
  const home = await tempFolder()
  const path = join(home, 'words')
  const control = { task: 'a', control: 'right', expected: 'passed', got: 'passed', holds: true, ms: 1 }
  const report: BuildReport = {
    source: { kind: 'file', format: 'ultradata', name: 'words.jsonl', sha256: '0'.repeat(64) },
    ...{ found: 9, kept: 2, dropped: [{ task: 'z', reason: 'short_body', detail: '' }], thresholds: {} },
    ...{ crates: [], tests: null, corpus: null, memory: null, notes: [] },
    tokens: { by: 'estimate', exact: false, cap: 100, histogram: [], longest: 80 },
    controls: { a: [control], b: [{ ...control, task: 'b' }] },
  }
  const files = filesOf([
    ['a', 'x'],
    ['b', 'y'],
  ])
  files.set('controls/a/blind.py', 'def f(x):\n    return 1\n')
  files.set('controls/a/blind.json', '{"expected": ["test_failed"]}\n')
  files.set('workspace.json', '{"folder": "../code", "sha256": "1"}\n')
  files.set('build.json', JSON.stringify(report))
  await writeSuiteFolder(path, identity, files)
  await splitSuite({ suite: path, out: join(home, 'far/split'), share: 0.5, seed: 1, holdOut: ['y'] })

  const read = (side: string, file: string) => readFile(join(home, 'far/split', side, file), 'utf8')
  expect(await read('train', 'controls/a/blind.py')).toBe(files.get('controls/a/blind.py'))
  await expect(read('held-out', 'controls/a/blind.py')).rejects.toThrow(/ENOENT/)
  const { folder } = JSON.parse(await read('held-out', 'workspace.json'))
  expect(resolve(home, 'far/split/held-out', folder)).toBe(join(home, 'code'))
  const own = JSON.parse(await read('held-out', 'build.json')) as BuildReport
  expect([own.kept, own.dropped, Object.keys(own.controls)]).toEqual([1, [], ['b']])
})

test('a split holds out whole groups, and refuses one that would leave a side empty', async () => {
  const home = await tempFolder()
  const path = join(home, 'words')
  await writeSuiteFolder(
    path,
    identity,
    filesOf([
      ['a', 'x'],
      ['b', 'y'],
      ['c', 'y'],
      ['d', 'z'],
    ]),
  )
  const request = { suite: path, out: join(home, 'split'), share: 0.25, seed: 1 }
  const report = await splitSuite({ ...request, holdOut: ['y'] })
  expect(report.sets.map(({ set, tasks, groups }) => [set, tasks, groups])).toEqual([
    ['train', 2, ['x', 'z']],
    ['held-out', 2, ['y']],
  ])
  await expect(splitSuite({ ...request, holdOut: ['x', 'y', 'z'] })).rejects.toThrow(/a side would be empty/)
  await expect(splitSuite({ ...request, holdOut: ['w'] })).rejects.toThrow(/has the groups x, y, z/)
})
