import { writeFile } from 'node:fs/promises'
import { afterEach, expect, test } from 'vitest'
import { isGraded } from '#shared/domain/grade.ts'
import { sampleTask } from '#shared/journal/sample-program.ts'
import { sampleRunId as run, StoreLab } from './testing.ts'

let lab: StoreLab
afterEach(() => lab.dispose())

test('how often a task was passed is what its journal says, phase by phase, the silent apart', async () => {
  lab = await StoreLab.make()
  const store = await lab.open()
  const lines = lab.lines()
  await writeFile(lab.events, lines.join(''))
  await store.catchUp(run)
  const events = lines.map((line) => JSON.parse(line))
  const { suite } = events[0].spec
  const counted = (grades: { status: Parameters<typeof isGraded>[0] }[]) => ({
    passed: grades.filter(({ status }) => status === 'passed').length,
    graded: grades.filter(({ status }) => isGraded(status)).length,
    silent: grades.filter(({ status }) => !isGraded(status)).length,
  })
  const draws = (policy: string) =>
    events
      .filter((event) => event.type === 'eval.draw' && event.policy === policy)
      .map((event) => event.grade)
  // A rollout that was silent first is graded again later: its last grade is what counts.
  const last = new Map(
    events.flatMap((event) => (event.type === 'rollout.graded' ? [[event.rollout, event.grade]] : [])),
  )
  const training = [...last.values()]
  const expected = { baseline: draws('baseline'), training, final: draws('final') }
  const rates = store.passRates(suite.name)
  expect(
    Object.fromEntries(rates.map(({ phase, passed, graded, silent }) => [phase, { passed, graded, silent }])),
  ).toEqual(
    Object.fromEntries(
      Object.entries(expected)
        .filter(([, grades]) => grades.length > 0)
        .map(([phase, grades]) => [phase, counted(grades)]),
    ),
  )
  expect(new Set(rates.map(({ task, version }) => `${task} ${version}`))).toEqual(
    new Set([`${sampleTask} ${suite.version}`]),
  )
  expect(store.passRates('another')).toEqual([])
})
