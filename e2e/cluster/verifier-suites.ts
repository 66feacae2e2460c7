import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { suiteDigestInput } from '#shared/domain/suite-digest.ts'
import { run } from './shell.ts'

const booking = resolve(import.meta.dirname, '../../resources/demo/booking')
const names = ['weak', 'repaired', 'reference', 'audit']

/**
 * Makes the bare repository `suites.git` in `folder` and beside it `commits.json`, `{first, second}`: two commits with the suites as
 * folders `booking/<name>` and `slow`, and a third, `foreign`, which no repository has. The hashes are the same on every machine.
 */
export function commitSuites(folder: string): void {
  const work = join(folder, 'suites.work')
  const git = (...args: string[]) => run('git', ['-C', work, ...args], { env: environment }).trim()
  mkdirSync(work)
  git('init', '--quiet', '--initial-branch', 'main')
  for (const name of names) cpSync(join(booking, name), join(work, 'booking', name), { recursive: true })
  makeSlowSuite(join(work, 'slow'))
  const commit = (text: string) => {
    writeFileSync(join(work, 'README'), `${text}\n`)
    git('add', '--all')
    git('commit', '--quiet', '--message', text)
    return git('rev-parse', 'HEAD')
  }
  const commits = {
    first: commit('The suites'),
    second: commit('The suites, looked over'),
    foreign: 'c0ffee'.padEnd(40, '0'),
  }
  git('clone', '--quiet', '--bare', work, join(folder, 'suites.git'))
  writeFileSync(join(folder, 'commits.json'), `${JSON.stringify(commits)}\n`)
  rmSync(work, { recursive: true })
}

const who = { NAME: 'ringside', EMAIL: 'ringside@localhost', DATE: '2026-11-29T12:00:00Z' }
const environment = {
  PATH: process.env.PATH,
  ...{ GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
  ...Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) =>
      Object.entries(who).map(([key, value]) => [`GIT_${role}_${key}`, value]),
    ),
  ),
}

/** A suite of three cases: with so few, a body may take its time at each and is still graded within its limits. */
function makeSlowSuite(folder: string): void {
  cpSync(join(booking, 'reference'), folder, { recursive: true })
  const cases = join(folder, 'cases/required-capacity.jsonl')
  writeFileSync(cases, `${readFileSync(cases, 'utf8').split('\n').slice(0, 3).join('\n')}\n`)
  const manifest = JSON.parse(readFileSync(join(folder, 'suite.json'), 'utf8'))
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: path.slice(folder.length + 1), sha256: sha256(readFileSync(path)) }))
  const slow = { ...manifest, name: 'booking-slow', sha256: sha256(suiteDigestInput(files)) }
  writeFileSync(join(folder, 'suite.json'), `${JSON.stringify(slow, null, 2)}\n`)
}

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')
