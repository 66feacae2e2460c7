import { afterAll, beforeAll, expect, test } from 'vitest'
import { scoreOf } from '#shared/domain/grade.ts'
import type { Verdict } from '../grader.ts'
import type { ProbedSlot } from './controls.ts'
import { gradeIn, type OpenGrader, openDemo, readBodies, referenceOf } from './testing.ts'

let open: OpenGrader
beforeAll(async () => {
  open = await openDemo(1)
}, 240_000)
afterAll(() => open.close())

/** As the service scores: nothing but `passed` and `test_failed` earns anything. */
function rewardOf(verdict: Verdict): number | null {
  if (['no_test_ran', 'unresolved'].includes(verdict.status)) return null
  if (verdict.status !== 'passed' && verdict.status !== 'test_failed') return 0
  const scored = verdict.tests.filter((item) => item.control !== true)
  const controls = verdict.tests.filter((item) => item.control === true)
  return scoreOf({
    passed: scored.filter((item) => item.outcome === 'passed').length,
    total: scored.length,
    controls: controls.length,
    controlsPassed: controls.filter((item) => item.outcome !== 'passed').length,
  })
}

/** What each attack is worth without its trick, by task: an empty result, or for text changed in place, no change. */
const honestBodies: Record<string, string> = {
  'merge-spans': '{ Vec::new() }',
  'group-runs': '{ items.into_iter().map(|i| { let k = key(&i); (k, vec![i]) }).collect() }',
  'ascii-title': '{}',
}

const honest: Record<string, number | null> = {}

test('no attack gets more than its honest score', { timeout: 900_000 }, async () => {
  for (const [task, body] of Object.entries(honestBodies))
    honest[task] = rewardOf(await gradeIn(open.slots[0], task, body))
  expect(Object.values(honest).every((reward) => reward !== null && reward < 0.5)).toBe(true)
  const won: string[] = []
  const seen: Record<string, string> = {}
  for (const attack of readBodies('attacks.rs.txt')) {
    const verdict = await gradeIn(open.slots[0], attack.task, attack.body)
    const reward = rewardOf(verdict)
    seen[attack.name] = `${verdict.status} ${verdict.reason}`
    if (reward === null || reward > (honest[attack.task] ?? 0))
      won.push(`${attack.name}: ${verdict.status} ${reward}`)
  }
  expect(Object.keys(seen).length).toBeGreaterThanOrEqual(60)
  expect(won).toEqual([])
})

/** What only the rules on the text can stop, for nothing in its run is out of order: it asks which test it is in and answers that test. */
const onlyByText = ['thread_name', 'thread_name_by_alias', 'thread_name_by_glob', 'arguments']
const provedByTheRun = [
  'exit',
  'forged output',
  'hooks',
  'handlers after main',
  'statics before main',
  'memory',
]

test('without the rules on its text, the run itself is still proof', { timeout: 900_000 }, async () => {
  const slot = open.slots[0] as ProbedSlot
  const signal = new AbortController().signal
  const won: string[] = []
  for (const attack of readBodies('attacks.rs.txt')) {
    if (!provedByTheRun.includes(attack.kind) && !onlyByText.includes(attack.name)) continue
    const verdict = await slot.gradeUnchecked(attack.task, attack.body, signal)
    if ((rewardOf(verdict) ?? 1) > (honest[attack.task] ?? 0)) won.push(attack.name)
  }
  expect(won).toEqual(onlyByText)
})

test('unusual but right bodies keep their full score', { timeout: 900_000 }, async () => {
  const reference = referenceOf('merge-spans')
  const long = Array.from(
    { length: 300 },
    (_, n) => `    let step_${n} = ${n}u32; // ${'–'.repeat(n % 7)}`,
  ).join('\n')
  const bodies = [
    ...readBodies('honest.rs.txt'),
    { name: 'carriage_returns', task: 'merge-spans', body: reference.replaceAll('\n', '\r\n') },
    {
      name: 'three_hundred_lines',
      task: 'merge-spans',
      body: `{\n${long}\n    let _ = step_299;\n${reference}\n}`,
    },
    {
      name: 'comments_around',
      task: 'merge-spans',
      body: `\n// before { it\n${reference} /* after } it */\n\n`,
    },
    { name: 'nested_blocks', task: 'merge-spans', body: `{{{{ ${reference} }}}}` },
    {
      name: 'tabs_and_no_spaces',
      task: 'late-fee',
      body: '{if amount==0||days<15{return 0}\tlet p=if days<31{2}else{5};(amount as u128*p/100).max(100)as u64}',
    },
  ]
  const lost: Record<string, string> = {}
  for (const { name, task, body } of bodies) {
    const verdict = await gradeIn(open.slots[0], task, body)
    if (verdict.status !== 'passed')
      lost[name] = `${verdict.status} ${verdict.reason}\n${verdict.output
        .map((part) => part.text)
        .join('\n')
        .slice(0, 400)}`
  }
  expect(bodies.length).toBeGreaterThanOrEqual(30)
  expect(lost).toEqual({})
})
