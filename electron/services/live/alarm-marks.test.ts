import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { sampleRunId as run, StoreLab } from '../store/testing.ts'

let lab: StoreLab
afterEach(() => lab.dispose())

test('what a person said of an alarm is kept with the run, and outlives the index', async () => {
  lab = await StoreLab.make()
  await writeFile(lab.events, lab.lines().join(''))
  const store = await lab.open()
  await store.catchUp(run)
  const mark = store.handlers['alarms.mark']
  await mark({ run, code: 'was_silent', mark: 'muted', since: 'a' })
  await mark({ run, code: 'gradient', mark: 'acknowledged', since: 'step 3' })
  await mark({ run, code: 'was_silent', mark: null, since: 'a' })
  const held = async (from: typeof store) =>
    (await from.handlers['live.since']({ run, afterSeq: -1 })).alarmMarks
  const expected = [{ code: 'gradient', mark: 'acknowledged', since: 'step 3', at: expect.any(String) }]
  expect(await held(store)).toEqual(expected)
  await store.dispose()
  await rm(join(lab.home, 'index.sqlite'))
  expect(await held(await lab.open())).toEqual(expected)
})

test('runs are laid over each other by the figures of their steps, with what is unknown as null', async () => {
  lab = await StoreLab.make()
  await writeFile(lab.events, lab.lines().join(''))
  const store = await lab.open()
  await store.catchUp(run)
  const { state } = await store.handlers['runs.state']({ run })
  const [silent] = await store.handlers['compare.series']({ runs: [run], metric: 'silentShare' })
  expect(silent?.step).toEqual(state.steps.map(({ step }) => step))
  expect(silent?.value).toEqual(state.steps.map((row) => (row.silentGroups ?? 0) / (row.groups ?? 1)))
  expect(silent?.rollouts.at(-1)).toBe(state.rollouts)
  const [passes] = await store.handlers['compare.series']({ runs: [run], metric: 'passShare' })
  expect(passes?.value).toEqual(
    state.steps.map(({ byStatus, generated }) => (byStatus.passed ?? 0) / generated),
  )
  const [std] = await store.handlers['compare.series']({ runs: [run], metric: 'tokensMean' })
  expect(std?.atMs).toEqual(
    state.steps.map(({ finishedAt }) => Date.parse(finishedAt ?? '') - Date.parse(state.startedAt ?? '')),
  )
})
