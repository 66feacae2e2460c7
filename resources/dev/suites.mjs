// Plain JavaScript without dependencies: this runs before anything is installed, on any Node from 18.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './processes.mjs'
import { environment, root } from './setup.mjs'

/**
 * The suites of `npm test`. Each returns what it counted, from a machine-readable report: `{passed, failed, skipped}`.
 * A suite that ran nothing did not pass: that is one failure.
 */
export const suites = { checks, unit, python, browser }

const bin = (name) => join(root, 'node_modules/.bin', name)

/** Types, lint and format, dead code. Each is one test. */
async function checks({ node, say }) {
  const all = [
    ['types', bin('tsc'), ['-b']],
    ['lint and format', bin('biome'), ['check', '--error-on-warnings']],
    ['dead code', bin('knip'), []],
  ]
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const [name, command, args] of all) {
    const { code, output, failure } = await run(command, args, {
      cwd: root,
      env: environment(node),
      capture: true,
    })
    counts[code === 0 ? 'passed' : 'failed'] += 1
    say(`${name}: ${code === 0 ? 'passed' : `failed\n${output}${failure ?? ''}`}`)
  }
  return counts
}

function unit({ node, filters }) {
  return withReport(async (report) => {
    const args = ['run', '--config', 'resources/dev/vitest.config.ts', ...filters]
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const { code } = await run(bin('vitest'), [...args, ...reporters], { cwd: root, env: environment(node) })
    const json = readJson(report)
    return settle(code, {
      passed: json?.numPassedTests ?? 0,
      failed: json?.numFailedTests ?? 0,
      skipped: (json?.numPendingTests ?? 0) + (json?.numTodoTests ?? 0),
    })
  })
}

/** The trainer for a GPU box. Its tests use nothing but the standard library. */
function python({ say }) {
  if (!existsSync(join(root, 'resources/trainer'))) {
    say('There is no Python part yet.')
    return { passed: 0, failed: 0, skipped: 0 }
  }
  return withReport(async (report) => {
    const args = ['-B', 'resources/dev/python_tests.py', 'resources/trainer', report]
    const { code, failure } = await run('python3', args, { cwd: root })
    if (failure !== null) say(`Python could not be run: ${failure}`)
    return settle(code, readJson(report) ?? { passed: 0, failed: 0, skipped: 0 })
  })
}

function browser({ node, filters }) {
  return withReport(async (report) => {
    const { code } = await run(
      bin('playwright'),
      ['test', '--config', 'e2e/playwright.config.ts', '--reporter=list,json', ...filters],
      { cwd: root, env: { ...environment(node), PLAYWRIGHT_JSON_OUTPUT_FILE: report } },
    )
    const stats = readJson(report)?.stats
    return settle(code, {
      passed: stats?.expected ?? 0,
      // A test that passes only when tried again did not pass.
      failed: (stats?.unexpected ?? 0) + (stats?.flaky ?? 0),
      skipped: stats?.skipped ?? 0,
    })
  })
}

/** What no test counted still counts: a suite that broke off, a file that did not load, nothing run at all. */
export function settle(code, counts) {
  const ranNothing = counts.passed + counts.failed === 0
  return counts.failed === 0 && (code !== 0 || ranNothing) ? { ...counts, failed: 1 } : counts
}

async function withReport(work) {
  const folder = mkdtempSync(join(tmpdir(), 'ringside-report-'))
  try {
    return await work(join(folder, 'report.json'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}
