import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startVerifier } from '../testing/start-verifier.ts'
import { tempFolder } from '../testing/temp-folder.ts'
import { writeSuite } from '../testing/write-suite.ts'

const right = 'def double(value):\n    return value * 2\n'
/** Asks who it is without opening a thing. */
const asksWho = 'import os\n\ndef double(value):\n    return value * 2 if os.getuid() >= 60100 else 0\n'
const isRoot = process.getuid?.() === 0

async function start(suite: string, flags: string[], env: NodeJS.ProcessEnv = {}) {
  const data = folder()
  const verifier = await startVerifier(suite, data, { flags, env })
  onTestFinished(() => verifier.stop())
  return { verifier, health: async () => (await verifier.json('/v1/health')).body as Record<string, unknown> }
}

function folder(): string {
  const { path, dispose } = tempFolder()
  onTestFinished(dispose)
  // As an operator's folders are; a temporary one lets nobody else in.
  chmodSync(path, 0o755)
  chmodSync(tmpdir(), 0o711)
  return path
}

function suite(): string {
  const path = folder()
  writeSuite(path, [
    {
      ...{ id: 'double', function: 'double', reference: right },
      cases: [
        ['[1]', '2'],
        ['[4]', '8'],
      ],
    },
  ])
  return path
}

test('below the level that is required nothing is executed, the reward is null, and it says why', async () => {
  const { verifier, health } = await start(suite(), ['--isolation', 'sandbox'], {
    RINGSIDE_SANDBOX: 'limits',
  })
  const grades = await verifier.grade('a', [{ id: 'a', task: 'double', body: right }])
  const ready = await verifier.json('/v1/ready')
  const { status, reward, reason, isolation } = grades.get('a') ?? {}
  expect({ status, reward, reason, isolation, ready, health: await health() }).toMatchObject({
    ...{ status: 'unresolved', reward: null, reason: 'isolation_below_required', isolation: 'limits' },
    ready: { status: 503, body: { ready: false } },
    health: {
      ...{ ready: false, executed: 0, isolation: 'limits', isolationRequired: 'sandbox' },
      notReady: 'its isolation is limits, and its operator requires sandbox',
    },
  })
})

test.runIf(isRoot)(
  'without a sandbox root gives every slot a user of its own, where that user cannot read the suite (needs root)',
  async () => {
    const open = suite()
    const shut = suite()
    chmodSync(shut, 0o700)
    const env = { RINGSIDE_SANDBOX: 'user', RINGSIDE_PYTHON: '/usr/bin/python3' }
    const seen = await Promise.all(
      [shut, open].map(async (path) => {
        const { verifier, health } = await start(path, ['--isolation', 'user'], env)
        const grades = await verifier.grade('a', [{ id: 'a', task: 'double', body: asksWho }])
        const { isolation, isolationDetail } = await health()
        return [isolation, grades.get('a')?.status, String(isolationDetail)]
      }),
    )
    expect(seen).toEqual([
      ['user', 'passed', expect.stringContaining('A user of its own for every slot')],
      ['limits', 'unresolved', expect.stringContaining('other users can read the suite')],
    ])
  },
)

test('a suite in a repository is graded at the commit that is checked out, and at no other', async () => {
  const repo = folder()
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', repo, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      encoding: 'utf8',
    }).trim()
  git('init', '--quiet')
  const place = join(repo, 'suite')
  cpSync(suite(), place, { recursive: true })
  git('add', '--all')
  git('commit', '--quiet', '--message', 'one')
  const first = git('rev-parse', 'HEAD')
  mkdirSync(join(repo, 'other'))
  writeFileSync(join(repo, 'other/file'), '')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'two')
  const second = git('rev-parse', 'HEAD')
  const { verifier, health } = await start(place, ['--repo', repo, '--commit', second])
  const grades = await verifier.grade('a', [{ id: 'a', task: 'double', body: right }])
  expect([(await health()).commit, grades.get('a')?.commit]).toEqual([second, second])
  await expect(start(place, ['--repo', repo, '--commit', first])).rejects.toThrow(
    `has ${second} checked out, not the pinned ${first}`,
  )
  writeFileSync(join(place, 'extra'), '')
  await expect(start(place, ['--repo', repo, '--commit', second])).rejects.toThrow(
    /states sha256|is not what commit/,
  )
})
