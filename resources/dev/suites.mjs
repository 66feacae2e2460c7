// Plain JavaScript without dependencies: this runs before anything is installed, on any Node from 18.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './processes.mjs'
import { environment, root } from './setup.mjs'

/**
 * The suites of `npm test`. Each returns what it counted, from a machine-readable report: `{passed, failed, skipped}`.
 * A suite that ran nothing did not pass: that is one failure.
 */
export const suites = { checks, unit, python, browser, cluster }

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
  return vitest('resources/dev/vitest.config.ts', environment(node), filters)
}

function vitest(config, env, filters) {
  return withReport(async (report) => {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const args = ['run', '--config', config, ...filters, ...reporters]
    const { code } = await run(bin('vitest'), args, { cwd: root, env })
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

/**
 * Against a real Kubernetes: the one that `RINGSIDE_TEST_KUBECONFIG` names, else one that is made on this machine, brought up for the tests and
 * taken down after them. Where neither can be, the suite is skipped, and says why.
 */
async function cluster({ node, say, filters }) {
  const env = environment(node)
  if (process.env.RINGSIDE_TEST_KUBECONFIG) return clusterTests(env, filters)
  const main = (...args) => [join(root, 'e2e/cluster/main.ts'), ...args]
  const { output } = await run(node, main('why-not'), { cwd: root, env, capture: true })
  if (output.trim() !== '') {
    say(`cluster: skipped. ${output.trim()}; RINGSIDE_TEST_KUBECONFIG takes another one.`)
    return { passed: 0, failed: 0, skipped: 1 }
  }
  // Also when Ctrl-C ends the tests.
  const down = () => spawnSync(node, main('down'), { cwd: root, env, stdio: 'inherit' })
  process.once('exit', down)
  const { code } = await run(node, main('up'), { cwd: root, env })
  const { output: folder } = await run(node, main('folder'), { cwd: root, env, capture: true })
  const own = {
    RINGSIDE_TEST_KUBECONFIG: join(folder.trim(), 'kubeconfig'),
    RINGSIDE_TEST_CLUSTER_DIR: folder.trim(),
  }
  const counts =
    code === 0 ? await clusterTests({ ...env, ...own }, filters) : { passed: 0, failed: 1, skipped: 0 }
  process.off('exit', down)
  down()
  return counts
}

function clusterTests(env, filters) {
  return vitest('e2e/cluster/vitest.config.ts', env, filters)
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
