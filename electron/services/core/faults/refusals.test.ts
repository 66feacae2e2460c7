import { appendFile, cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { attempt } from '#shared/base/result.ts'
import type { PreflightRow } from '#shared/ipc/contract.ts'
import { tempFolder } from '../../../testing/temp-folder.ts'
import type { OpenCore } from '../core.ts'
import { rooms } from '../data-folder.ts'
import { programs } from '../programs.ts'
import { openConsole, slow, smallRun } from './testing.ts'

const stateOf = (rows: PreflightRow[]) => Object.fromEntries(rows.map((row) => [row.check, row.state]))

/** Nothing of a refused launch may be left: no run, no lease that is not given back, no folder. */
async function expectNothingLeft(core: OpenCore, home: string): Promise<void> {
  const { boxes, scratch } = rooms(home)
  const names = await Promise.all([boxes, scratch].map((folder) => readdir(folder).catch(() => [])))
  expect([core.parts.store.runs(), names.flat()]).toEqual([[], []])
  expect(core.parts.ledger.all().filter((lease) => lease.state !== 'released')).toEqual([])
}

test('without Python a launch is refused with the remedy, and nothing is left', slow, async () => {
  const home = await tempFolder()
  const bin = join(home, 'bin')
  await mkdir(bin)
  await symlink(process.execPath, join(bin, 'node'))
  const core = await openConsole(join(home, 'data'), { PATH: bin, RINGSIDE_PYTHON: join(bin, 'python3') })
  const report = await core.handlers['launch.preflight']({ draft: smallRun })
  const python = report.rows.find((row) => row.check === 'python')
  expect([report.verdict, stateOf(report.rows)]).toEqual([
    'failed',
    expect.objectContaining({ data_folder: 'passed', suite: 'passed', python: 'failed' }),
  ])
  expect(python).toMatchObject({
    detail: `no Python 3 at ${join(bin, 'python3')}`,
    remedy: expect.stringContaining('Install Python 3.10'),
  })
  expect(await attempt(() => core.handlers['launch.start']({ draft: smallRun }))).toMatchObject({
    ok: false,
    error: { code: 'preflight_failed', hint: expect.stringContaining('Install Python 3.10') },
  })
  await expectNothingLeft(core, join(home, 'data'))
})

test(
  'a form that does not fit names its field; a suite that was edited or is its own audit fails its row',
  slow,
  async () => {
    const home = await tempFolder()
    const edited = join(home, 'edited')
    await cp(join(programs.demo, 'booking', 'weak'), edited, { recursive: true })
    await appendFile(join(edited, 'cases', 'required-capacity.jsonl'), '\n')
    const core = await openConsole(join(home, 'data'))
    const refused = async (draft: unknown) => {
      const reply = await core.request('launch.start', { draft })
      return reply.ok ? 'started' : [reply.error.code, reply.error.message]
    }
    expect([
      await refused({ ...smallRun, groupSize: 1 }),
      await refused({ ...smallRun, seed: -1 }),
      await refused({ ...smallRun, sede: 1 }),
      await refused({ ...smallRun, overrides: [{ check: 'controls', reason: 'why not' }] }),
      await refused('a run, please'),
      await refused({ ...smallRun, suite: join(home, 'nowhere') }),
      await refused({ ...smallRun, suite: edited }),
      await refused({ ...smallRun, audit: 'booking-weak' }),
    ]).toEqual([
      ['bad_spec', expect.stringMatching(/^groupSize: /)],
      ['bad_spec', expect.stringMatching(/^seed: /)],
      ['bad_spec', 'sede: a run has no such field.'],
      ['bad_spec', expect.stringMatching(/^overrides\.0\.reason: /)],
      ['bad_spec', 'draft: a run is described by an object.'],
      ['preflight_failed', expect.stringContaining('holds no suite.json')],
      ['preflight_failed', expect.stringContaining('is not the suite it was')],
      ['preflight_failed', 'Audit suite is another one: the audit suite is the training suite itself'],
    ])
    await expectNothingLeft(core, join(home, 'data'))
  },
)

test(
  'controls that do not hold stop a launch, unless a reason is typed, which the run keeps',
  slow,
  async () => {
    const home = await tempFolder()
    const core = await openConsole(join(home, 'data'))
    const draft = { ...smallRun, suite: await suiteWithBrokenControl(home) }
    expect(await core.request('launch.start', { draft })).toMatchObject({
      ok: false,
      error: { code: 'controls_failed' },
    })
    await expectNothingLeft(core, join(home, 'data'))

    const overrides = [{ check: 'controls', reason: 'the control itself is wrong' }]
    const { run } = await core.handlers['launch.start']({ draft: { ...draft, overrides } })
    const { spec } = await core.handlers['runs.state']({ run })
    expect(spec.overrides).toEqual(overrides)
  },
)

/** The weak suite with a reference body that is wrong, its digest made to fit: what a careless author could publish. */
async function suiteWithBrokenControl(home: string): Promise<string> {
  const { createHash } = await import('node:crypto')
  const { readFile } = await import('node:fs/promises')
  const { suiteDigestInput } = await import('#shared/domain/suite-digest.ts')
  const sha = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')
  const suite = join(home, 'broken')
  await cp(join(programs.demo, 'booking', 'weak'), suite, { recursive: true })
  const body = 'def required_capacity(bookings):\n    return 1\n'
  await writeFile(join(suite, 'reference', 'required-capacity.py'), body)
  const task = JSON.parse(await readFile(join(suite, 'tasks.jsonl'), 'utf8'))
  await writeFile(join(suite, 'tasks.jsonl'), `${JSON.stringify({ ...task, referenceSha256: sha(body) })}\n`)
  const names = (await readdir(suite, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(suite.length + 1))
  const files = await Promise.all(
    names.map(async (path) => ({ path, sha256: sha(await readFile(join(suite, path))) })),
  )
  const manifest = JSON.parse(await readFile(join(suite, 'suite.json'), 'utf8'))
  await writeFile(
    join(suite, 'suite.json'),
    `${JSON.stringify({ ...manifest, name: 'broken', sha256: sha(suiteDigestInput(files)) }, null, 2)}\n`,
  )
  return suite
}
