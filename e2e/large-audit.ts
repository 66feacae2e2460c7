import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { samplePrograms, sampleSpec, sampleTask } from '#shared/journal/sample-program.ts'
import { sampleEvents } from '#shared/journal/sample-run.ts'

export const largeRun = 'r-20261129-zzzzzz'
const hash = (text: string) => createHash('sha256').update(text).digest('hex')
const options = {
  run: largeRun,
  seed: 1,
  steps: 1,
  groupsPerStep: 1,
  groupSize: 2,
  evalDraws: 0,
  tests: 12,
  programs: 6,
  silentEvery: 0,
  hash,
}
const at = '2026-11-29T12:00:00.000Z'

/**
 * Writes a finished run in which every rollout is another program that training accepted and the audit rejects, in as many ways as there are
 * pairs of tests to fail. Of the first 5,000 and of the last nothing was said yet.
 * @param rollouts in steps of 1,000. @returns the last program.
 */
export async function writeLargeAudit(home: string, rollouts: number): Promise<{ last: string }> {
  const folder = join(home, 'runs', largeRun)
  await mkdir(folder, { recursive: true })
  const template = samplePrograms(options).find(({ grade }) => grade.status === 'passed')
  const [started] = sampleEvents(options)
  if (!template || !started) throw new Error('the sample has no accepted program')
  const bodies = Array.from({ length: rollouts }, (_, i) => hash(`body ${i}`))
  const events: object[] = [started]
  const records: object[] = []
  for (const [i, bodySha256] of bodies.entries()) {
    const step = Math.floor(i / 1000)
    const rollout = `${largeRun}/${step}/${Math.floor((i % 1000) / 10)}/${i % 10}`
    const grade = { ...template.grade, bodySha256, evidenceSha256: null }
    events.push({
      type: 'rollout.graded',
      rollout,
      grade,
      extraction: null,
      components: { tests: 1 },
      total: 1,
      advantage: 0,
    })
    records.push({
      at,
      type: 'audit.graded',
      bodySha256,
      task: sampleTask,
      grade: auditOf(template.grade, bodySha256, i),
    })
    if (i >= 5000 && i < rollouts - 1)
      records.push({ at, type: 'verdict', bodySha256, verdict: 'unclear', note: '' })
  }
  events.push({ type: 'run.finished', outcome: 'completed', reason: null })
  // A grade takes its task from the rollout that was generated before it.
  const lines = events.flatMap((event) =>
    'rollout' in event ? [generated(event.rollout as string), event] : [event],
  )
  const text = (list: object[]) => list.map((one) => `${JSON.stringify(one)}\n`).join('')
  await writeFile(
    join(folder, 'journal.jsonl'),
    text(lines.map((event, seq) => ({ v: 1, at, run: largeRun, ...event, seq }))),
  )
  await writeFile(join(folder, 'console.jsonl'), text(records))
  await writeFile(join(folder, 'spec.json'), JSON.stringify(sampleSpec(options)))
  return { last: bodies.at(-1) ?? '' }
}

function generated(rollout: string): object {
  const [, step = '', group = '', index = ''] = rollout.split('/')
  return {
    type: 'rollout.generated',
    rollout,
    step: Number(step),
    group: Number(group),
    index: Number(index),
    task: sampleTask,
    completionSha256: hash(rollout),
    tokens: 90,
    truncated: false,
  }
}

type Template = ReturnType<typeof samplePrograms>[number]['grade']

function auditOf(grade: Template, bodySha256: string, i: number): object {
  const failed = new Set([i % options.tests, Math.floor(i / options.tests) % options.tests])
  const tests = grade.tests.map((test, n) => ({ ...test, outcome: failed.has(n) ? 'failed' : 'passed' }))
  return {
    ...grade,
    bodySha256,
    evidenceSha256: null,
    status: 'test_failed',
    tests,
    passed: options.tests - failed.size,
    reward: (options.tests - failed.size) / options.tests,
    suite: { name: 'audit', version: '1', sha256: hash('audit') },
  }
}
