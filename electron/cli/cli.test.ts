import { execFile } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { GradeLine } from '#shared/domain/grade.ts'
import { tempFolder } from '../testing/temp-folder.ts'

const root = join(import.meta.dirname, '../..')
const weak = join(root, 'resources/demo/booking/weak')
/** Real grading on a busy machine takes its time. */
const slow = { timeout: 300_000 }

type Said = { code: number; out: string; err: string }

/** The command as a person runs it, in a data folder of its own. */
function ringside(home: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<Said> {
  const command = [join(root, 'electron/cli/ringside.mjs'), ...args]
  const options = { cwd: root, env: { ...process.env, RINGSIDE_HOME: home, ...env } }
  return new Promise((resolve) => {
    execFile(process.execPath, command, options, (failure, out, err) => {
      resolve({ code: typeof failure?.code === 'number' ? failure.code : failure ? -1 : 0, out, err })
    })
  })
}

const lines = (text: string) => text.split('\n').filter((line) => line !== '')

test('bad input is one clear line and exit code 2, and leaves nothing on stdout', slow, async () => {
  const home = await tempFolder()
  const bodies = join(home, 'bodies.jsonl')
  await writeFile(bodies, '{"id":"a","task":"t","body":"x"}\n{"id":"b","task":"t"}\n')
  const twice = join(home, 'twice.jsonl')
  await writeFile(twice, '{"id":"a","task":"t","body":"x"}\n{"id":"a","task":"t","body":"y"}\n')
  const asked: [string, RegExp][] = [
    ['fight', /unknown command 'fight'/],
    ['demo --verifier foo', /--verifier foo: must be one of weak, reference, repaired/],
    ['demo --updates many', /--updates many: must be a whole number from 1/],
    ['demo --sede 3', /unknown option '--sede'.*--seed/],
    ['serve --port 99999', /--port 99999: must be a whole number from 0 to 65535/],
    [`grade --suite ${weak} --in ${home}/none`, /none cannot be read: ENOENT/],
    [
      `grade --suite ${weak} --in ${bodies}`,
      /bodies.jsonl, line 2: needs exactly one of body and completion/,
    ],
    [`grade --suite ${weak} --in ${twice}`, /line 2: id a is already that of line 1/],
    ['grade --in x', /required option '--suite/],
    [`controls --suite ${home}`, /suite/],
    ['runs show r-1', /r-1: a run must look like/],
    ['runs show r-20260101-aaaaaa', /no run r-20260101-aaaaaa/],
    ['teardown r-20260101-aaaaaa', /knows no run r-20260101-aaaaaa/],
    ['sweep --context prod', /No kubeconfig has a context prod/],
    ['audit r-1', /r-1: a run must look like/],
    ['audit r-20260101-aaaaaa', /There is no run r-20260101-aaaaaa/],
    ['audit r-20260101-aaaaaa --share 0', /--share 0: must be a whole number from 1 to 100/],
    ['audit r-20260101-aaaaaa --list all', /--list all: must be one of false_acceptances/],
    ['audit r-20260101-aaaaaa --filter is:silent', /--filter needs a --list/],
    [`mutants --suite ${home}`, /suite/],
    [`mutants --suite ${weak} --task none`, /has no task none/],
    [`mutants --suite ${weak} --repo ${home}`, /--repo and --commit belong together/],
    [`mutants --suite ${weak} --repo ${home} --commit HEAD`, /neither suite is over one/],
    [`study analyze ${home}/none.csv`, /none.csv cannot be read/],
    [`study analyze ${bodies}`, /bodies.jsonl is no table/],
    ['runs export r-20260101-aaaaaa', /There is no run r-20260101-aaaaaa/],
    ['bench speed', /must be one of/],
    [`tasks build --repo ${home} --commit HEAD --out ${home}/suite`, /not a git repository/],
    [`tasks build --repo ${home} --commit HEAD --out ${home}`, /holds something that is no suite/],
    [
      `tasks build --repo ${home} --commit HEAD --out ${home}/suite --corpus ${home}/none`,
      /none cannot be read: ENOENT/,
    ],
    [
      `tasks build --repo ${home} --commit HEAD --out ${home}/suite --tokenizer ${bodies}`,
      /is no tokenizer.json/,
    ],
    [`tasks import poems ${bodies} --out ${home}/suite`, /must be one of ultradata, stdio, python/],
    [`tasks import ultradata ${home}/none --out ${home}/suite`, /none cannot be read: ENOENT/],
    [`tasks split --suite ${home} --out ${home}/split`, /holds no suite.json/],
  ]
  const said = []
  for (const [line] of asked) said.push(await ringside(home, line.split(' ')))
  expect(said.map(({ code, out, err }) => [code, out, lines(err).length])).toEqual(
    asked.map(() => [2, '', 1]),
  )
  for (const [index, [, words]] of asked.entries()) expect(said[index]?.err).toMatch(words)
  expect(said.filter(({ err }) => /\n\s+at |Error:/.test(err))).toEqual([])
})

test('grading streams one line a body, in the contract’s form, and ends its verifier', slow, async () => {
  const home = await tempFolder()
  const bodies = join(home, 'bodies.jsonl')
  const task = 'required-capacity'
  const items = [
    {
      id: 'right',
      task,
      body: 'def required_capacity(bookings):\n    best = 0\n    for s, _ in bookings:\n        best = max(best, sum(1 for a, b in bookings if a <= s < b))\n    return best\n',
    },
    {
      id: 'inclusive',
      task,
      body: 'def required_capacity(bookings):\n    best = 0\n    for s, _ in bookings:\n        best = max(best, sum(1 for a, b in bookings if a <= s <= b))\n    return best\n',
    },
    { id: 'broken', task, body: 'def required_capacity(bookings:\n' },
    { id: 'prose', task, completion: 'I would sort the bookings first.' },
  ]
  await writeFile(bodies, items.map((item) => `${JSON.stringify(item)}\n`).join(''))
  const said = await ringside(join(home, 'data'), ['grade', '--suite', weak, '--in', bodies, '--json'])
  const grades = lines(said.out).map((line) => GradeLine.parse(JSON.parse(line)))
  const statuses = Object.fromEntries(grades.map(({ id, status, reward }) => [id, [status, reward]]))
  expect([said.code, statuses]).toEqual([
    0,
    { right: ['passed', 1], inclusive: ['passed', 1], broken: ['build_failed', 0], prose: ['no_answer', 0] },
  ])
  expect(await readdir(join(home, 'data', 'scratch'))).toEqual([])
})

test('without Python, grading says what is missing and what to do', slow, async () => {
  const home = await tempFolder()
  const bodies = join(home, 'bodies.jsonl')
  await writeFile(bodies, '{"id":"a","task":"required-capacity","body":"x = 1"}\n')
  const said = await ringside(home, ['grade', '--suite', weak, '--in', bodies], {
    RINGSIDE_PYTHON: join(home, 'python3'),
  })
  expect([said.code, said.out, lines(said.err).length]).toEqual([2, '', 1])
  expect(said.err).toMatch(/Python.*Install Python 3\.10 or later/)
})

test('the demo runs from launch to teardown and prints exactly what the contract names', slow, async () => {
  const home = await tempFolder()
  const said = await ringside(home, ['demo', '--updates', '1', '--seed', '5', '--json'])
  const report = JSON.parse(said.out)
  expect([said.code, Object.keys(report)]).toEqual([
    0,
    [
      'run',
      'updates',
      'rollouts',
      'byStatus',
      'nullRewards',
      'silentGroups',
      'groups',
      'falseAcceptances',
      'falseAcceptancesByMechanism',
      'passRateBefore',
      'passRateAfter',
      'leaksAfterTeardown',
      'wallMs',
    ],
  ])
  expect(report).toMatchObject({ updates: 1, rollouts: 32, groups: 8, nullRewards: 0, leaksAfterTeardown: 0 })
  const counted = Object.values(report.byStatus as Record<string, number>).reduce(
    (sum, count) => sum + count,
    0,
  )
  expect(counted).toBe(report.rollouts)
  const listed = JSON.parse((await ringside(home, ['runs', 'list', '--json'])).out)
  expect(listed).toMatchObject([{ run: report.run, outcome: 'completed', tornDown: true, leases: 0 }])

  // The run is gone from its box; its audit goes on from what was kept.
  const more = ['audit', report.run, '--share', '50', '--suite', weak, '--json']
  const audit = await ringside(home, more)
  const view = JSON.parse(audit.out)
  expect([audit.code, view.share, view.confusion.map((one: { origin: string }) => one.origin)]).toEqual([
    0,
    0.5,
    ['training', 'other'],
  ])
  const [own, same] = view.confusion.map((one: { rows: object[] }) => one.rows)
  expect(same).toEqual(own)
  const list = await ringside(home, ['audit', report.run, '--list', 'silent_groups', '--json'])
  expect([list.code, lines(list.out).every((line) => JSON.parse(line).group.startsWith('step '))]).toEqual([
    0,
    true,
  ])
})
