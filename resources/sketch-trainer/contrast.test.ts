import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RunEvent } from '#shared/journal/events.ts'
import { Control } from './control.ts'
import { JournalFile } from './journal-file.ts'
import { PatientGrader } from './patient-grader.ts'
import type { Choices } from './policy/holes.ts'
import { Recall } from './recall.ts'
import { openRunFolder, readCompletion } from './run-folder.ts'
import { allPrograms } from './testing/enumerate.ts'
import { score } from './testing/score.ts'
import { readBody, StandInVerifier } from './testing/stand-in-verifier.ts'
import { bookingSuite } from './testing/suites.ts'
import { TestRun } from './testing/trainer-process.ts'
import { train } from './train.ts'

const audit = bookingSuite('audit').cases
const programs = allPrograms()
/** One of each for all seeds, since it remembers what it has scored. */
const verifiers = {
  weak: new StandInVerifier(bookingSuite('weak')),
  repaired: new StandInVerifier(bookingSuite('repaired')),
}

/** In memory where the system has such a folder: ten runs wait for thousands of syncs, which are not what is tested here. */
const scratch = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

type Tally = { right: number; mechanism1: number; mechanism2: number }

/** Trains in this process against the simulated verifier; everything else is the real trainer. */
async function trained(
  suite: 'weak' | 'repaired',
  seed: number,
): Promise<{ training: Tally; before: Tally; after: Tally }> {
  const spec = { suite, trainer: { seed, updates: 24, groupsPerStep: 8, evalDraws: 128 } }
  const run = new TestRun(spec, mkdtempSync(join(scratch, 'ringside-contrast-')))
  const folder = openRunFolder(run.dir)
  const journal = new JournalFile(folder.journal, run.spec.run)
  const control = new Control(folder.control)
  try {
    const recall = new Recall(journal)
    const client = verifiers[suite].inProcess()
    const on = { run: run.spec.run, suite: run.spec.suite, client, recall, control, log: () => {} }
    const grader = new PatientGrader(on)
    await train({ ...on, spec: run.spec, folder, grader }, run.spec)
    const events = run.events()
    const tally = (prefix: string): Tally => {
      const accepted = acceptedPrograms(events, `${run.spec.run}${prefix}`).map(
        (hash) => readCompletion(folder, hash) ?? '',
      )
      const found = accepted.map((text) => kindOf(text))
      const count = (kind: string) => found.filter((one) => one === kind).length
      return { right: count('right'), mechanism1: count('mechanism1'), mechanism2: count('mechanism2') }
    }
    return { training: tally('/'), before: tally('/eval/baseline/'), after: tally('/eval/final/') }
  } finally {
    control.dispose()
    journal.close()
    await run.dispose()
  }
}

/** Completions that the run's own suite passed in full, by where in the run their ids stand. */
function acceptedPrograms(events: RunEvent[], prefix: string): string[] {
  const passed = new Set(
    events.flatMap((event) =>
      (event.type === 'rollout.graded' || event.type === 'eval.draw') && event.grade.status === 'passed'
        ? [event.rollout]
        : [],
    ),
  )
  return events.flatMap((event) =>
    event.type === 'rollout.generated' &&
    passed.has(event.rollout) &&
    event.rollout.startsWith(prefix) &&
    (event.step !== null || prefix.includes('/eval/'))
      ? [event.completionSha256]
      : [],
  )
}

const kinds = new Map<string, string>()

function kindOf(completion: string): string {
  const body = readBody(completion) ?? ''
  const kind = kinds.get(body) ?? auditKind(body)
  kinds.set(body, kind)
  return kind
}

function auditKind(body: string): string {
  const program = programs.get(body)
  if (!program) return 'none'
  const choices: Choices = { ...program.choices, fence: 'python' }
  if (score(choices, program.variant, audit).status === 'passed') return 'right'
  return choices.ties === 'input' ? 'mechanism2' : 'mechanism1'
}

test('training on weak learns both false mechanisms; training on repaired ends at least 30 points better, for five seeds', async () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const weak = await trained('weak', seed)
    const repaired = await trained('repaired', seed)
    const gap = ((repaired.after.right - weak.after.right) / 128) * 100
    expect({
      seed,
      startsLow: weak.before.right <= 10 && repaired.before.right === weak.before.right,
      inTraining: Math.min(weak.training.mechanism1, weak.training.mechanism2) >= 1,
      inFinal: Math.min(weak.after.mechanism1, weak.after.mechanism2) >= 1,
      gap: gap >= 30,
      repairedFalse: repaired.after.mechanism1 + repaired.after.mechanism2 + repaired.training.mechanism1,
      figures: { weak, repaired },
    }).toEqual({
      seed,
      startsLow: true,
      inTraining: true,
      inFinal: true,
      gap: true,
      repairedFalse: 0,
      figures: { weak, repaired },
    })
  }
}, 240_000)
