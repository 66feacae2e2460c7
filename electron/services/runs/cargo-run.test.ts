import { execFileSync } from 'node:child_process'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { attempt } from '#shared/base/result.ts'
import { killKnown } from '../../testing/kill-known.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import { eventually } from '../box/testing.ts'
import type { OpenCore } from '../core/core.ts'
import { openConsole, slow, takeDown, untilFinished } from '../core/faults/testing.ts'
import { programs } from '../core/programs.ts'
import { writeSuiteFolder } from '../tasks/suite-files.ts'
import { freezeSuite, loadSuite } from './suites.ts'

const demo = join(programs.demo, 'rust')
const trainer = join(import.meta.dirname, '../../testing/asking-trainer.ts')
const task = 'ascii-title'

/** Right but for digits, which only one of the task's tests looks at. */
const wrong = `{
    let mut inside = false;
    let titled: String = text.chars().map(|c| {
        let t = if inside { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
        inside = c.is_alphabetic();
        t
    }).collect();
    // SAFETY: ASCII letters are exchanged for ASCII letters alone.
    unsafe { text.as_bytes_mut() }.copy_from_slice(titled.as_bytes());
}`

const identity = (name: string) => ({ name, grader: 'cargo', language: 'rust', description: '' }) as const

/** The files of a suite of one task of the demo, with the tests that are kept of it. */
async function oneTask(keep: (test: string) => boolean, sourceCommit: string | null = null) {
  const text = await readFile(join(demo, 'suite/tasks.jsonl'), 'utf8')
  const line = text.split('\n').find((one) => one.includes(`"id":"${task}"`)) ?? ''
  const whole = JSON.parse(line) as { tests: { name: string }[] }
  const one = { ...whole, sourceCommit, tests: whole.tests.filter(({ name }) => keep(name)) }
  return new Map([
    ['tasks.jsonl', `${JSON.stringify(one)}\n`],
    [`reference/${task}.rs`, await right()],
  ])
}

const right = () => readFile(join(demo, `suite/reference/${task}.rs`), 'utf8')

/** The demo's crates in a repository, without the suite that holds the answers. */
async function demoRepository(folder: string): Promise<{ repo: string; commit: string }> {
  const repo = join(folder, 'repo')
  await cp(demo, repo, { recursive: true })
  await rm(join(repo, 'suite'), { recursive: true })
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', repo, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      encoding: 'utf8',
    })
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'one')
  return { repo, commit: git('rev-parse', 'HEAD').trim() }
}

/** A command that trains on these answers, whole completions or bodies. */
async function trainerWith(folder: string, bodies: string[]): Promise<string[]> {
  const answers = join(folder, 'answers.json')
  const completions = bodies.map((body) => (body.startsWith('{') ? `\`\`\`rust\n${body}\n\`\`\`` : body))
  await writeFile(answers, JSON.stringify({ task, completions }))
  return [process.execPath, trainer, answers]
}

async function gradesOf(core: OpenCore, run: string) {
  const whole = { filter: '', sort: 'order', cursor: null, skip: 0, limit: 10 } as const
  const { rows } = await core.handlers['rollouts.page']({ run, ...whole })
  return rows.map(({ status, audit }) => [status, audit?.status ?? null])
}

test(
  'a run over a repository is pinned to its commit, audited at it, and shows what its suite falsely accepts',
  slow,
  async () => {
    const folder = await tempFolder()
    const { repo, commit } = await demoRepository(folder)
    const suites = join(folder, 'suites')
    await mkdir(suites)
    const blind = await oneTask((name) => !name.includes('digits'), commit)
    await writeSuiteFolder(join(suites, 'digits'), identity('digits'), blind)
    await writeSuiteFolder(join(suites, 'audit'), identity('digits-audit'), await oneTask(() => true, commit))
    const core = await openConsole(join(folder, 'home'), { ...process.env, RINGSIDE_SUITES: suites })
    const argv = await trainerWith(folder, [await right(), wrong, 'prose'])

    const { suites: offered } = await core.handlers['launch.options']({})
    expect(offered.map(({ name, needs, madeAt }) => [name, needs, madeAt])).toEqual([
      ['digits', 'commit', commit],
      ['digits-audit', 'commit', commit],
    ])
    const draft = {
      ...{ suite: 'digits', audit: 'digits-audit', workers: 1 },
      command: { argv, ownJournal: true },
    }
    const unnamed = await core.handlers['launch.preflight']({ draft })
    expect(unnamed.rows.find(({ check }) => check === 'suite')).toMatchObject({ state: 'failed' })
    const strange = await core.handlers['launch.preflight']({
      draft: { ...draft, source: { repo, commit: 'f00' } },
    })
    expect(strange.rows.find(({ check }) => check === 'suite')?.detail).toContain(repo)
    const sketch = await attempt(() =>
      core.handlers['launch.start']({ draft: { ...draft, command: null, source: { repo, commit } } }),
    )
    expect(sketch).toMatchObject({ ok: false, error: { code: 'preflight_failed' } })

    const { run } = await core.handlers['launch.start']({
      draft: { ...draft, source: { repo, commit: 'HEAD' } },
    })
    // What the branch does afterwards is none of the run's business.
    await writeFile(join(repo, 'textkit/src/title.rs'), 'compile_error!("changed");\n')
    await untilFinished(core, run)
    await core.parts.audit.finish(run)
    const { spec } = await core.handlers['runs.state']({ run })
    expect([spec.suite.source, spec.audit?.source]).toEqual([
      { kind: 'commit', repo, commit },
      { kind: 'commit', repo, commit },
    ])
    expect(await gradesOf(core, run)).toEqual([
      ['passed', 'passed'],
      ['passed', 'test_failed'],
      ['no_answer', null],
    ])
    const listed = await core.handlers['audit.regrade']({ run, suite: join(suites, 'audit') })
    expect(listed.graded).toBe(2)
    // Neither is that it is gone: a verifier that is started again has what it needs.
    await rm(repo, { recursive: true })
    const before = core.parts.runs.verifierHealth(run)
    killKnown((await core.parts.box.status(run)).verifier.pid)
    await eventually('the verifier to come back', async () => {
      const now = core.parts.runs.verifierHealth(run)
      return now !== null && now.instance !== before?.instance && now.commit === commit
    })
    const report = await takeDown(core, run)
    expect([report.left, await core.parts.box.processes(run)]).toEqual([[], []])
  },
)

test(
  'a folder that a suite names is copied with it, so that an edit of the original changes no run',
  slow,
  async () => {
    const folder = await tempFolder()
    const place = join(folder, 'rust')
    await cp(demo, place, { recursive: true })
    const suite = await oneTask(() => true)
    suite.set('workspace.json', await readFile(join(demo, 'suite/workspace.json'), 'utf8'))
    await rm(join(place, 'suite'), { recursive: true })
    await writeSuiteFolder(join(place, 'suite'), identity('beside'), suite)
    const core = await openConsole(join(folder, 'home'), { ...process.env, RINGSIDE_SUITES: place })
    const argv = await trainerWith(folder, [wrong])
    const draft = { suite: 'beside', audit: null, workers: 1, command: { argv, ownJournal: true } }
    const { run } = await core.handlers['launch.start']({ draft })
    const { spec } = await core.handlers['runs.state']({ run })
    expect(spec.suite.source).toEqual({
      kind: 'folder',
      folder: expect.stringMatching(/\.workspace-[0-9a-f]{12}$/),
    })
    await untilFinished(core, run)
    expect(await gradesOf(core, run)).toEqual([['test_failed', null]])

    await writeFile(join(place, 'textkit/src/title.rs'), 'compile_error!("changed");\n')
    const source = { kind: 'folder', folder: place } as const
    const changed = await freezeSuite(
      await loadSuite(join(place, 'suite')),
      source,
      join(folder, 'home/suites'),
    )
    expect(changed.source).not.toEqual(spec.suite.source)
    const { verdict, rows } = await core.handlers['launch.preflight']({ draft })
    expect([verdict, rows.find(({ check }) => check === 'verifier')?.detail]).toEqual([
      'failed',
      expect.stringContaining('The suite is for the workspace with'),
    ])
    await takeDown(core, run)
  },
)
