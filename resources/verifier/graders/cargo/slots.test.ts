import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { changedSuite, demoRepository, gradeIn, openDemo, referenceOf, tempFolder } from './testing.ts'

const onlyLateFee = () => changedSuite((tasks) => tasks.filter((task) => task.id === 'late-fee'))

test('a right and a wrong body graded together never take each other’s build, fifty times', {
  timeout: 900_000,
}, async () => {
  const { suite, remove } = onlyLateFee()
  const open = await openDemo(2, { suite })
  const right = referenceOf('late-fee')
  const seen = new Map<string, number>()
  for (let round = 0; round < 50; round += 1) {
    const [a, b] = round % 2 === 0 ? [0, 1] : [1, 0]
    const [wrong, good] = await Promise.all([
      gradeIn(open.slots[a], 'late-fee', `{ let _ = (amount, days); ${round} }`),
      gradeIn(open.slots[b], 'late-fee', `{ let _round = ${round}; ${right} }`),
    ])
    const pair = `${wrong.status}, ${good.status}`
    seen.set(pair, (seen.get(pair) ?? 0) + 1)
  }
  await open.close()
  remove()
  expect(Object.fromEntries(seen)).toEqual({ 'test_failed, passed': 50 })
})

test('a body of one crate is gone before another crate that depends on it is graded', {
  timeout: 300_000,
}, async () => {
  const open = await openDemo(1)
  const before = await gradeIn(open.slots[0], 'book-insert', referenceOf('book-insert'))
  const wrong = await gradeIn(open.slots[0], 'span-overlap', '{ let _ = other; None }')
  const after = await gradeIn(open.slots[0], 'book-insert', referenceOf('book-insert'))
  await open.close()
  expect([before.status, wrong.status, after.status]).toEqual(['passed', 'test_failed', 'passed'])
})

test('slots are copies of one build, are warm again after a restart, and are put right after a crash', {
  timeout: 300_000,
}, async () => {
  const { suite, remove } = onlyLateFee()
  const temp = tempFolder()
  const first = await openDemo(3, { suite, scratch: temp.path })
  const build = (logs: string[]) => logs.filter((line) => line.startsWith('built')).length
  const copies = first.logs.filter((line) => /^slot \d: (shared|copied)/.test(line)).length
  for (const slot of first.slots) await slot.dispose()
  // A crash in the middle of a grade leaves a body in a slot's tree, and whatever else was there.
  const file = `${temp.path}/slots/1/tree/ledger/src/money.rs`
  const pristine = readFileSync(file, 'utf8')
  writeFileSync(file, `${pristine}\npub fn left_over() {}\n`)
  writeFileSync(`${temp.path}/slots/1/tree/ledger/stray.txt`, 'stray')
  const again = await openDemo(3, { suite, scratch: temp.path })
  const verdict = await gradeIn(again.slots[1], 'late-fee', referenceOf('late-fee'))
  const restored = {
    text: readFileSync(file, 'utf8') === pristine,
    newer: statSync(file).mtimeMs > statSync(`${temp.path}/slots/1/tree/Cargo.toml`).mtimeMs,
    stray: existsSync(`${temp.path}/slots/1/tree/ledger/stray.txt`),
  }
  const rebuilt = build(again.logs)
  await again.close()
  await first.close()
  remove()
  temp.remove()
  expect({ builds: build(first.logs), copies, rebuilt, restored, status: verdict.status }).toEqual({
    builds: 1,
    copies: 2,
    rebuilt: 0,
    restored: { text: true, newer: true, stray: false },
    status: 'passed',
  })
})

test('slots that do not fit are refused with both figures', { timeout: 120_000 }, async () => {
  const { suite, remove } = onlyLateFee()
  const refused = await openDemo(4, { suite, diskLimitBytes: 8 * 1024 ** 2 }).catch((failure) => failure)
  remove()
  expect([refused.code, refused.message]).toEqual([
    'disk_full',
    expect.stringMatching(
      /^4 build folders of \d+ MiB need \d+ MiB, and 8 MiB may be used, which holds \d\.$/,
    ),
  ])
})

test('a repository at a commit is graded as its files are there, without history', {
  timeout: 300_000,
}, async () => {
  const { suite, remove } = onlyLateFee()
  const { repo, commit, remove: removeRepo } = demoRepository()
  const open = await openDemo(1, { suite, repo, commit })
  writeFileSync(`${repo}/ledger/src/money.rs`, 'not Rust')
  const verdict = await gradeIn(open.slots[0], 'late-fee', referenceOf('late-fee'))
  const tree = `${open.scratch}/slots/0/tree`
  const shape = { git: existsSync(`${tree}/.git`), suite: existsSync(`${tree}/suite`) }
  const own = open.grader.commit
  await open.close()
  const wrong = await openDemo(1, { suite, repo, commit: 'f'.repeat(40) }).catch((failure) => failure.code)
  removeRepo()
  remove()
  expect({ status: verdict.status, own, shape, wrong }).toEqual({
    status: 'passed',
    own: commit,
    shape: { git: false, suite: false },
    wrong: 'git_failed',
  })
})
